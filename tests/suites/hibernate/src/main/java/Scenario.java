import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.cfg.Configuration;

/**
 * Hibernate over Connector/J against the server of $PORT, in a database of its own: named steps, one after
 * another. Each prints `passed NAME` or `failed NAME`, and why beside that; the process ends well if it came
 * to the end.
 */
public class Scenario {
    static final String DATABASE = "suite_hibernate";
    private static final String ADDRESS = "//127.0.0.1:" + System.getenv("PORT") + "/";
    private static final String MYSQL_URL = "jdbc:mysql:" + ADDRESS;

    interface Step {
        void run() throws Exception;
    }

    /** MariaDB is asked by its own driver, as its users do: over the other one Hibernate takes it for MySQL. */
    private static boolean isMariaDb;
    static SessionFactory factory;

    static void step(String name, Step step) {
        try {
            step.run();
            System.out.println("passed hibernate: " + name);
        } catch (Throwable error) {
            System.out.println("failed hibernate: " + name);
            Throwable cause = error;
            StringBuilder why = new StringBuilder();
            while (cause != null) {
                why.append(" / ").append(cause);
                cause = cause.getCause();
            }
            System.err.println("hibernate: " + name + ":" + why + " " + at(error));
        }
    }

    /** The place of the scenario that an error came from. */
    private static String at(Throwable error) {
        return Arrays.stream(error.getStackTrace())
            .filter(frame -> frame.getClassName().matches("(Schema|Mapping|Queries|Locks)Steps.*"))
            .findFirst().map(StackTraceElement::toString).orElse("");
    }

    static void same(Object wanted, Object got) {
        if (!Objects.deepEquals(wanted, got)) {
            throw new AssertionError(got + " instead of " + wanted);
        }
    }

    /** The error, of a class, that a step must end with. */
    static <E extends Throwable> E refused(Class<E> kind, Step step) {
        Throwable error = null;
        try {
            step.run();
        } catch (Throwable thrown) {
            error = thrown;
        }
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return kind.cast(cause);
            }
        }
        throw new AssertionError(kind.getSimpleName() + " did not come", error);
    }

    private static String url() {
        return isMariaDb ? "jdbc:mariadb:" + ADDRESS + DATABASE + "?sslMode=disable" : MYSQL_URL + DATABASE;
    }

    static Configuration configuration(String schema, Class<?>... entities) {
        Configuration made = new Configuration();
        made.setProperty("hibernate.connection.url", url());
        made.setProperty("hibernate.connection.username", "root");
        made.setProperty("hibernate.connection.password", "");
        made.setProperty("hibernate.hbm2ddl.auto", schema);
        // An error in a statement of the schema is an error of the step, not a line in a log.
        made.setProperty("hibernate.hbm2ddl.halt_on_error", "true");
        made.setProperty("hibernate.jdbc.batch_size", "50");
        made.setProperty("hibernate.jdbc.time_zone", "UTC");
        Arrays.stream(entities).forEach(made::addAnnotatedClass);
        return made;
    }

    static Configuration configuration(String schema) {
        return configuration(schema, Model.ENTITIES);
    }

    /** What a transaction gives, once it is committed. */
    static <R> R within(Function<Session, R> work) {
        return factory.fromTransaction(work);
    }

    static void inside(Consumer<Session> work) {
        factory.inTransaction(work);
    }

    /** One transaction within another: both open, each in a session of its own. */
    static void beside(Consumer<Session> first, Consumer<Session> second) {
        try (Session one = factory.openSession(); Session other = factory.openSession()) {
            Transaction begun = one.beginTransaction();
            Transaction late = other.beginTransaction();
            try {
                first.accept(one);
                second.accept(other);
            } finally {
                late.rollback();
                begun.rollback();
            }
        }
    }

    static void plain(String... statements) throws Exception {
        try (Connection connection = DriverManager.getConnection(url(), "root", "");
             Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setProperty("org.jboss.logging.provider", "jdk");
        java.util.logging.LogManager.getLogManager().reset();
        try (Connection connection = DriverManager.getConnection(MYSQL_URL, "root", "");
             Statement statement = connection.createStatement()) {
            isMariaDb = connection.getMetaData().getDatabaseProductVersion().contains("MariaDB");
            statement.execute("DROP DATABASE IF EXISTS " + DATABASE);
            statement.execute("CREATE DATABASE " + DATABASE + " CHARACTER SET utf8mb4");
        }
        // Maven's codes of colours stand on the first line.
        System.out.println();
        SchemaSteps.run();
        MappingSteps.run();
        QueriesSteps.run();
        LocksSteps.run();
        SchemaSteps.end();
        plain("DROP DATABASE " + DATABASE);
    }
}

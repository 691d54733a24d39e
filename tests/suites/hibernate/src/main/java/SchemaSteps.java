import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.hibernate.cfg.Configuration;
import org.hibernate.tool.schema.spi.SchemaManagementException;

/** The schema: made of the entities, found to be theirs, mended, refused, dropped. */
class SchemaSteps extends Scenario {
    static void run() {
        step("the schema is made of the entities", () -> configuration("create-only").buildSessionFactory().close());
        step("the schema is dropped and made anew", () -> factory = configuration("create").buildSessionFactory());
        step("validation finds the schema as it was made", SchemaSteps::validate);
        step("an update of the schema has nothing to do", () -> same(List.of(), updates()));
        step("an update adds the column, index, key and table that miss", () -> {
            plain(
                "ALTER TABLE customer DROP COLUMN work_zip, DROP INDEX by_name",
                "ALTER TABLE orders DROP FOREIGN KEY of_customer",
                "DROP TABLE customer_phone");
            configuration("update").buildSessionFactory().close();
            validate();
            same(List.of(), updates());
        });
        step("validation refuses a column of another type and one that misses", () -> {
            plain("ALTER TABLE Stock MODIFY pieces varchar(20) NOT NULL");
            refused(SchemaManagementException.class, SchemaSteps::validate);
            plain("ALTER TABLE Stock DROP COLUMN pieces");
            refused(SchemaManagementException.class, SchemaSteps::validate);
            plain("ALTER TABLE Stock ADD COLUMN pieces integer NOT NULL");
            validate();
        });
        step("a schema with rows is kept by an update", () -> {
            inside(session -> session.persist(new Stock(0, 7)));
            configuration("update").buildSessionFactory().close();
            same(7, within(session -> session.find(Stock.class, 0).pieces));
        });
    }

    static void end() {
        step("the schema is emptied and dropped", () -> {
            factory.getSchemaManager().truncateMappedObjects();
            same(0L, within(session -> session.createQuery("select count(*) from Customer", Long.class).getSingleResult()));
            factory.getSchemaManager().dropMappedObjects(false);
            refused(SchemaManagementException.class, SchemaSteps::validate);
            factory.close();
        });
    }

    private static void validate() {
        configuration("validate").buildSessionFactory().close();
    }

    /** The statements that an update would run. */
    private static List<String> updates() throws Exception {
        Path script = Files.createTempFile("hibernate", ".sql");
        try {
            Configuration settings = configuration("none");
            settings.setProperty("jakarta.persistence.schema-generation.scripts.action", "update");
            // Without this each unique constraint would be dropped and made again.
            settings.setProperty("hibernate.schema_update.unique_constraint_strategy", "SKIP");
            settings.setProperty("jakarta.persistence.schema-generation.scripts.create-target", script.toString());
            settings.buildSessionFactory().close();
            return Files.readAllLines(script);
        } finally {
            Files.delete(script);
        }
    }
}

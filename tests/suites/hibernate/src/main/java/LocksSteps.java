import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.hibernate.LockMode;
import org.hibernate.Session;
import org.hibernate.Timeouts;

/** Transactions and locks: versions, locks with and without waiting, what a rollback leaves. */
class LocksSteps extends Scenario {
    static void run() {
        step("an older version is refused", () -> refused(OptimisticLockException.class, () -> {
            Customer old = within(session -> MappingSteps.customer(session, "Ada"));
            inside(session -> MappingSteps.customer(session, "Ada").name = "Ada");
            inside(session -> MappingSteps.customer(session, "Ada").home = new Address("Weg 9", "Bern", 3001));
            old.country = "FR";
            inside(session -> session.merge(old));
        }));
        step("a version counts at a forced increment", () -> {
            int before = within(session -> MappingSteps.customer(session, "Ada").version);
            inside(session -> session.lock(MappingSteps.customer(session, "Ada"), LockModeType.OPTIMISTIC_FORCE_INCREMENT));
            same(before + 1, within(session -> MappingSteps.customer(session, "Ada").version));
        });
        step("a locked row is refused without waiting", () -> beside(
            one -> one.find(Stock.class, 1, LockModeType.PESSIMISTIC_WRITE),
            other -> locked(() -> other.find(Stock.class, 1, LockModeType.PESSIMISTIC_WRITE, Timeouts.NO_WAIT))));
        step("a locked row is skipped", () -> beside(
            one -> one.find(Stock.class, 1, LockModeType.PESSIMISTIC_WRITE),
            other -> same(List.of(0, 2), other.createQuery("select s from Stock s order by s.id", Stock.class)
                .setHibernateLockMode(LockMode.UPGRADE_SKIPLOCKED).getResultList().stream().map(stock -> stock.id).toList())));
        step("a lock is waited for as long as the session says", () -> beside(
            one -> one.find(Stock.class, 1, LockModeType.PESSIMISTIC_WRITE),
            other -> {
                other.createNativeMutationQuery("SET SESSION innodb_lock_wait_timeout = 1").executeUpdate();
                long begun = System.nanoTime();
                locked(() -> other.find(Stock.class, 1, LockModeType.PESSIMISTIC_WRITE));
                long waited = System.nanoTime() - begun;
                other.createNativeMutationQuery("SET SESSION innodb_lock_wait_timeout = DEFAULT").executeUpdate();
                same(true, waited > 900_000_000L && waited < 20_000_000_000L);
            }));
        step("shared locks stand beside each other, and an exclusive one does not", () -> beside(
            one -> one.find(Stock.class, 1, LockModeType.PESSIMISTIC_READ),
            other -> {
                same(20, other.find(Stock.class, 1, LockModeType.PESSIMISTIC_READ).pieces);
                other.clear();
                locked(() -> other.find(Stock.class, 1, LockModeType.PESSIMISTIC_WRITE, Timeouts.NO_WAIT));
            }));
        step("only the rows of one table of a join are locked", () -> beside(
            one -> same(2, one.createQuery(
                "select o from Order o join o.customer c where c.name = 'Ada'", Order.class)
                .setLockMode(LockModeType.PESSIMISTIC_WRITE).getResultList().size()),
            other -> same("Ada", other.createQuery("from Customer where name = 'Ada'", Customer.class)
                .setLockMode(LockModeType.PESSIMISTIC_WRITE).setTimeout(Timeouts.NO_WAIT).getSingleResult().name)));
        step("a rollback leaves nothing, a savepoint what came before", () -> {
            refused(IllegalStateException.class, () -> inside(session -> {
                session.persist(new Stock(90, 1));
                session.flush();
                throw new IllegalStateException("no");
            }));
            inside(session -> session.doWork(connection -> {
                try (var statement = connection.createStatement()) {
                    statement.executeUpdate("insert into Stock (id, pieces) values (91, 1)");
                    var point = connection.setSavepoint("before");
                    statement.executeUpdate("insert into Stock (id, pieces) values (92, 1)");
                    connection.rollback(point);
                }
            }));
            same(List.of(91), within(session -> session
                .createQuery("select id from Stock where id >= 90", Integer.class).getResultList()));
        });
        step("a transaction goes on after a statement that was refused", () -> {
            inside(session -> session.doWork(connection -> {
                try (var statement = connection.createStatement()) {
                    statement.executeUpdate("insert into Stock (id, pieces) values (93, 1)");
                    refused(java.sql.SQLIntegrityConstraintViolationException.class, () ->
                        statement.executeUpdate("insert into Stock (id, pieces) values (94, 1), (93, 2)"));
                }
            }));
            same(List.of(91, 93), within(session -> session
                .createQuery("select id from Stock where id >= 90 order by id", Integer.class).getResultList()));
        });
        step("a transaction reads what it read before", () -> beside(
            one -> {
                one.doWork(connection -> same(Connection.TRANSACTION_REPEATABLE_READ, connection.getTransactionIsolation()));
                same(20, pieces(one));
                inside(session -> session.find(Stock.class, 1).pieces = 21);
                same(20, pieces(one));
            },
            other -> same(21, pieces(other))));
        step("a transaction that only reads writes nothing", () -> inside(session -> {
            session.setDefaultReadOnly(true);
            session.find(Stock.class, 1).pieces = 99;
            session.flush();
            session.doWork(connection -> {
                connection.commit();
                connection.setReadOnly(true);
                refused(SQLException.class, () ->
                    connection.createStatement().executeUpdate("update Stock set pieces = 1"));
                connection.setReadOnly(false);
            });
        }));
    }

    /** A lock that is not had: without waiting MySQL has a number of its own, MariaDB that of a wait too long. */
    private static void locked(Step step) {
        int number = refused(SQLException.class, step).getErrorCode();
        same(true, number == 3572 || number == 1205);
    }

    private static int pieces(Session session) {
        return session.createQuery("select pieces from Stock where id = 1", Integer.class).getSingleResult();
    }
}

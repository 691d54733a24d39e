import jakarta.persistence.Tuple;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hibernate.ScrollMode;
import org.hibernate.ScrollableResults;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.query.criteria.HibernateCriteriaBuilder;
import org.hibernate.query.criteria.JpaCriteriaQuery;
import org.hibernate.query.criteria.JpaRoot;

/** What is asked: HQL, criteria, native SQL, pages; updates and deletes of many rows. */
class QueriesSteps extends Scenario {
    static void run() {
        step("rows to ask are stored", () -> inside(session -> {
            for (int one = 0; one < 12; one++) {
                Customer made = new Customer("Customer" + (char) ('A' + one), one % 3 == 0 ? "DE" : "AT");
                made.number = one;
                session.persist(made);
                for (int order = 0; order < one % 4; order++) {
                    new Order(made, (one * 10 + order) + ".25", LocalDate.of(2026, 1 + one, 1 + order));
                }
            }
        }));
        step("named queries, of HQL and SQL", () -> inside(session -> {
            same(List.of("CustomerA", "CustomerD", "CustomerG", "CustomerJ"), session
                .createNamedQuery("of_country", Customer.class).setParameter("country", "DE")
                .getResultList().stream().map(customer -> customer.name).toList());
            same(13, session.createNamedQuery("names_raw", String.class).setParameter(1, 0).getResultList().size());
        }));
        step("pages, and how many rows there are", () -> inside(session -> {
            var query = session.createSelectionQuery("select name from Customer order by name desc", String.class);
            same(List.of("CustomerI", "CustomerH"), query.setFirstResult(3).setMaxResults(2).getResultList());
            same(13L, query.getResultCount());
            same(List.of("CustomerB"), session
                .createSelectionQuery("select name from Customer order by name offset 2 rows fetch next 1 rows only", String.class)
                .getResultList());
        }));
        step("groups, HAVING and aggregates", () -> inside(session -> {
            same(List.of(List.of("AT", 12L, "70.916667"), List.of("DE", 6L, "50.916667")), lists(session, """
                select c.country, count(o), avg(o.amount + 0) as mean from Customer c join c.orders o
                where c.country <> 'CH' group by c.country having count(o) > 1 order by c.country"""));
            same("CustomerA;CustomerD;CustomerG;CustomerJ", session.createQuery(
                "select listagg(name, ';') within group (order by name) from Customer where country = 'DE'", String.class)
                .getSingleResult());
        }));
        step("window functions", () -> inside(session -> same(
            List.of(List.of("CustomerJ", 3L, "90.25", "291.75"), List.of("CustomerK", 2L, "201.50", "625.50"),
                List.of("CustomerL", 1L, "333.75", "535.25")),
            lists(session, """
                select c.name, row_number() over (order by c.number desc), sum(o.amount),
                sum(sum(o.amount)) over (order by c.number rows between 1 preceding and 1 following)
                from Customer c join c.orders o where c.number >= 9 group by c.number, c.name order by c.name"""))));
        step("common table expressions, recursive ones too", () -> inside(session -> {
            same(List.of(List.of("DE", 4L)), lists(session, """
                with counted as (select country as country, count(*) as n from Customer group by country)
                select c.country, c.n from counted c where c.n between 2 and 5 order by c.n"""));
            Node above = null;
            for (int node = 10; node < 15; node++) {
                above = new Node(node, above);
                session.persist(above);
            }
            same(List.of(10, 11, 12, 13, 14), session.createQuery("""
                with tree as (
                  select n.id as id from Node n where n.parent is null
                  union all select n.id as id from tree t join Node n on n.parent.id = t.id
                ) select t.id from tree t order by t.id""", Integer.class).getResultList());
        }));
        step("unions, sub-queries, lateral joins", () -> inside(session -> {
            same(17L, session.createQuery(
                "select count(*) from (select name as n from Customer union all select title as n from Club where id < 5) u", Long.class)
                .getSingleResult());
            same(List.of("CustomerL"), session.createQuery("""
                select name from Customer c where exists (select 1 from c.orders o where o.amount > 110)
                and c.number > all (select d.number from Customer d where d.country = 'DE')
                and c.id in (select o.customer.id from Order o)""", String.class).getResultList());
            same(List.of(List.of("CustomerL", "112.25")), lists(session, """
                select c.name, t.top from Customer c
                join lateral (select o.amount as top from c.orders o order by o.amount desc limit 1) t
                where t.top > 110"""));
        }));
        step("functions of text, number and time", () -> inside(session -> {
            same(List.of("CUST", 4, "mer", "x-x", 8, "  7"), session.createQuery("""
                select upper(left(name, 4)), locate('t', name), substring(name, 6, 3),
                replace('y-y', 'y', 'x'), cast(trim(' 8 ') as Integer), lpad('7', 3)
                from Customer where name = 'CustomerA'""", Object[].class)
                .getResultList().stream().flatMap(Stream::of).toList());
            same(List.of(2026, 2, 1, 32), session.createQuery("""
                select extract(year from o.day), extract(month from o.day), day(o.day), extract(day of year from o.day)
                from Order o where o.amount = 10.25""", Object[].class)
                .getResultList().stream().flatMap(Stream::of).toList());
            same(1L, session.createQuery(
                "select count(*) from Order o where o.day + 30 day = date 2026-03-03", Long.class).getSingleResult());
            same(true, session.createQuery(
                "select (local datetime - c.made) by second < 100 from Kinds c where c.text is not null and c.made <= instant", Boolean.class)
                .getSingleResult());
        }));
        step("a document of JSON: its attributes are asked and set", QueriesSteps::documents);
        step("LIKE with an escape, IN of many, CASE, NULLs in order", () -> inside(session -> {
            same(1L, session.createQuery("select count(*) from Customer where name like '%r!A' escape '!'", Long.class).getSingleResult());
            same(12L, session.createQuery("select count(*) from Customer where number in :numbers", Long.class)
                .setParameter("numbers", IntStream.range(0, 2_000).boxed().toList()).getSingleResult());
            same("Ada", session.createQuery("select name from Customer order by number nulls first, name", String.class)
                .setMaxResults(1).getSingleResult());
            same("Ada", session.createQuery("select name from Customer order by number nulls last, name", String.class)
                .getResultList().get(12));
            same(List.of("many", "none"), session.createQuery("""
                select distinct case when size(c.orders) > 1 then 'many' when c.orders is empty then 'none' end
                from Customer c where c.name in ('CustomerA', 'CustomerC') order by 1""", String.class).getResultList());
        }));
        step("criteria with joins, a fetch and tuples", QueriesSteps::criteria);
        step("a filter of a session", () -> inside(session -> {
            session.enableFilter("in_country").setParameter("wanted", "DE");
            same(4L, session.createQuery("select count(*) from Customer", Long.class).getSingleResult());
        }));
        step("rows come one by one, and backwards", () -> inside(session -> {
            try (ScrollableResults<String> rows = session.createQuery("select name from Customer order by name", String.class)
                .setFetchSize(Integer.MIN_VALUE).scroll(ScrollMode.FORWARD_ONLY)) {
                rows.next();
                same("Ada", rows.get());
            }
            try (ScrollableResults<String> rows = session.createQuery("select name from Customer order by name", String.class)
                .scroll(ScrollMode.SCROLL_INSENSITIVE)) {
                rows.last();
                same("CustomerL", rows.get());
            }
        }));
        step("an update and a delete of many, through temporary tables", () -> {
            same(4, within(session -> session.createMutationQuery("update Payment set done = true, amount = amount + 1")
                .executeUpdate()));
            same(2, within(session -> session.createMutationQuery(
                "update Card c set c.number = concat('no ', str(c.id)), c.amount = 9 where c.done = true").executeUpdate()));
            same(1, within(session -> session.createMutationQuery(
                "delete from Transfer t where t.amount = (select max(x.amount) from Transfer x)").executeUpdate()));
            same(20, within(session -> session.createMutationQuery(
                "delete from Shape where colour = 'blue' and id in (select s.id from Square s)").executeUpdate()));
            same(3L, MappingSteps.count("Payment"));
        });
        step("INSERT from a query, and with a conflict", () -> {
            same(500, within(session -> session.createMutationQuery(
                "insert into Ticket (seat, level) select t.seat + 500, t.level from Ticket t").executeUpdate()));
            inside(session -> session.createMutationQuery("""
                insert into Stock (id, pieces) values (0, 1), (1, 2) on conflict (id) do update
                set pieces = pieces + excluded.pieces""").executeUpdate());
            same(List.of(8, 2), within(session -> session
                .createQuery("select pieces from Stock order by id", Integer.class).getResultList()));
            inside(session -> {
                try (var stateless = factory.openStatelessSession(session.doReturningWork(connection -> connection))) {
                    stateless.upsert(new Stock(1, 20));
                    stateless.upsert(new Stock(2, 30));
                }
            });
            same(58L, within(session -> session.createQuery("select sum(pieces) from Stock", Long.class).getSingleResult()));
        });
        step("native SQL to entities and to maps", () -> inside(session -> {
            same(1L, session.createNativeQuery("SELECT * FROM orders WHERE amount = :amount", Order.class)
                .setParameter("amount", new BigDecimal("10.25")).getSingleResult().customer.orderCount());
            same(Map.of("n", 13L), session.createNativeQuery("SELECT COUNT(*) AS n FROM customer", Map.class).getSingleResult());
        }));
    }

    private static void criteria() {
        inside(session -> {
            HibernateCriteriaBuilder builder = session.getCriteriaBuilder();
            JpaCriteriaQuery<Tuple> query = builder.createTupleQuery();
            JpaRoot<Customer> customer = query.from(Customer.class);
            var order = customer.join("orders");
            query.multiselect(
                customer.get("name").alias("name"), builder.sum(order.<BigDecimal>get("amount")).alias("sum"),
                builder.rank(builder.createWindow().orderBy(builder.desc(builder.sum(order.<BigDecimal>get("amount"))))).alias("rank"));
            query.where(builder.greaterThan(customer.get("number"), 6)).groupBy(customer.get("name")).orderBy(builder.asc(builder.literal(3)));
            same(List.of("CustomerL 333.75 1", "CustomerH 213.75 2", "CustomerK 201.50 3"), session.createQuery(query)
                .setMaxResults(3).getResultList().stream()
                .map(row -> row.get("name") + " " + row.get("sum") + " " + row.get("rank")).toList());
            JpaCriteriaQuery<Customer> whole = builder.createQuery(Customer.class);
            JpaRoot<Customer> root = whole.from(Customer.class);
            root.fetch("orders");
            whole.where(builder.like(root.get("name"), "%L")).distinct(true);
            same(3, session.createQuery(whole).getSingleResult().orders.size());
        });
    }

    private static void documents() {
        Configuration settings = configuration("create-drop", Filed.class);
        settings.setProperty("hibernate.hbm2ddl.halt_on_error", "false");
        try (SessionFactory filed = settings.buildSessionFactory()) {
            filed.inTransaction(session -> {
                Filed made = new Filed();
                made.id = 1;
                made.document = new Address("Gasse 1", "Bern", 3000);
                session.persist(made);
            });
            filed.inTransaction(session -> {
                same("Bern", session.createQuery("select document.city from Filed where document.zip = 3000", String.class)
                    .getSingleResult());
                same(1, session.createMutationQuery("update Filed set document.city = 'Thun', document.zip = null").executeUpdate());
            });
            filed.inTransaction(session -> {
                Address got = session.find(Filed.class, 1).document;
                same(List.of("Gasse 1", "Thun"), List.of(got.street, got.city));
                same(null, got.zip);
            });
        }
    }

    private static List<List<Object>> lists(Session session, String query) {
        return session.createQuery(query, Object[].class).getResultList().stream()
            .map(row -> Stream.of(row).map(QueriesSteps::shown).toList()).toList();
    }

    private static Object shown(Object value) {
        return value instanceof BigDecimal exact ? exact.toString()
            : value instanceof Double number ? BigDecimal.valueOf(number).setScale(6, java.math.RoundingMode.HALF_UP).toString() : value;
    }
}

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.*;
import java.util.*;
import org.hibernate.Hibernate;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.exception.DataException;

/** What is stored of entities: basic types, keys, embeddables, collections, relations, inheritance, constraints. */
class MappingSteps extends Scenario {
    private static final LocalDate DAY = LocalDate.of(2026, 11, 30);

    static void run() {
        step("each basic type comes back as it was stored", () -> {
            Kinds stored = kinds();
            inside(session -> session.persist(stored));
            Kinds got = within(session -> session.find(Kinds.class, stored.id));
            for (var field : Kinds.class.getDeclaredFields()) {
                switch (field.getName()) {
                    case "made", "changed" -> same(true, field.get(got) != null);
                    case "exact" -> same(0, stored.exact.compareTo(got.exact));
                    default -> {
                        if (!Objects.deepEquals(field.get(stored), field.get(got))) {
                            throw new AssertionError(field.getName() + ": " + field.get(got));
                        }
                    }
                }
            }
        });
        step("each basic type is NULL where nothing was stored", () -> {
            Kinds stored = new Kinds();
            inside(session -> session.persist(stored));
            Kinds got = within(session -> session.find(Kinds.class, stored.id));
            for (var field : Kinds.class.getDeclaredFields()) {
                if (!Set.of("id", "made", "changed").contains(field.getName())) {
                    same(null, field.get(got));
                }
            }
        });
        step("each basic type is found by its value", () -> {
            Kinds sought = kinds();
            for (var field : Kinds.class.getDeclaredFields()) {
                String name = field.getName();
                if (Set.of("id", "single", "json", "words", "made", "changed").contains(name)) {
                    continue;
                }
                Object value = field.get(sought);
                long found = within(session -> session
                    .createQuery("select count(*) from Kinds k where k." + name + " = :value", Long.class)
                    .setParameter("value", value).getSingleResult());
                if (found != 1) {
                    throw new AssertionError(name + ": " + found);
                }
            }
        });
        step("embeddables, collections, one secondary table and a default", () -> {
            inside(session -> {
                Customer made = new Customer("Ada", "CH");
                made.home = new Address("Gasse 1", "Bern", 3000);
                made.remark = "first";
                made.phones.addAll(Set.of("031", "079"));
                made.marks.putAll(Map.of("maths", 6, "art", 4));
                made.others.add(new Address("Weg 2", "Chur", null));
                made.others.add(new Address("Weg 3", "Thun", 3600));
                session.persist(made);
            });
            inside(session -> {
                Customer got = customer(session, "Ada");
                same(List.of("Bern", "first", 6), List.of(got.home.city, got.remark, got.marks.get("maths")));
                same(null, got.work);
                same(Set.of("031", "079"), new HashSet<>(got.phones));
                same(List.of("Chur", "Thun"), got.others.stream().map(address -> address.city).toList());
            });
        });
        step("collections change by element", () -> {
            inside(session -> {
                Customer got = customer(session, "Ada");
                got.phones.remove("031");
                got.phones.add("032");
                got.marks.put("art", 5);
                got.others.remove(0);
                got.remark = null;
            });
            inside(session -> {
                Customer got = customer(session, "Ada");
                same(Set.of("032", "079"), new HashSet<>(got.phones));
                same(5, got.marks.get("art"));
                same("Thun", got.others.get(0).city);
                same(null, got.remark);
            });
        });
        step("one to many: cascade, order, orphans removed", () -> {
            inside(session -> {
                Customer got = customer(session, "Ada");
                for (int order = 1; order <= 3; order++) {
                    new Order(got, order + "0.50", DAY.minusDays(order));
                }
            });
            inside(session -> customer(session, "Ada").orders.remove(1));
            same(List.of("10.50", "30.50"), within(session ->
                customer(session, "Ada").orders.stream().map(order -> order.amount.toString()).toList()));
            same(2L, within(session -> customer(session, "Ada").orderCount));
        });
        step("one to one by a shared key, and its orphan removed", () -> {
            inside(session -> {
                Customer got = customer(session, "Ada");
                got.profile = new Profile();
                got.profile.customer = got;
                got.profile.motto = "onwards";
            });
            inside(session -> {
                Customer got = customer(session, "Ada");
                same("onwards", got.profile.motto);
                got.profile = null;
            });
            same(0L, count("Profile"));
        });
        step("many to many, keys from a table of numbers", () -> {
            inside(session -> {
                Customer got = customer(session, "Ada");
                for (int club = 1; club <= 7; club++) {
                    Club made = new Club();
                    made.title = "club " + club;
                    session.persist(made);
                    got.clubs.add(made);
                }
            });
            inside(session -> customer(session, "Ada").clubs.removeIf(club -> club.title.compareTo("club 3") > 0));
            same(List.of("club 1", "club 2", "club 3"), within(session -> session
                .createQuery("select c.title from Customer u join u.clubs c where u.name = 'Ada' order by c.title", String.class)
                .getResultList()));
        });
        step("a composite key with a relation, and a generated column", () -> {
            inside(session -> {
                Order order = customer(session, "Ada").orders.get(0);
                for (int place = 1; place <= 2; place++) {
                    Line line = new Line();
                    line.id = new LineId(order, place);
                    line.quantity = 3;
                    line.price = new BigDecimal("1.25").multiply(BigDecimal.valueOf(place));
                    order.lines.add(line);
                    session.persist(line);
                    session.flush();
                    same(line.price.multiply(BigDecimal.valueOf(3)), line.total);
                }
            });
            same(2, within(session -> customer(session, "Ada").orders.get(0).lines.size()));
        });
        step("joined inheritance", () -> {
            inside(session -> {
                for (int payment = 0; payment < 4; payment++) {
                    Payment made = payment % 2 == 0 ? new Card() : new Transfer();
                    made.amount = new BigDecimal(payment + ".00");
                    session.persist(made);
                }
            });
            same(List.of("Card", "Transfer", "Card", "Transfer"), within(session -> session
                .createQuery("from Payment order by id", Payment.class).getResultList().stream()
                .map(payment -> Hibernate.getClass(payment).getSimpleName()).toList()));
        });
        step("one table for all classes, by a discriminator", () -> {
            inside(session -> {
                Car car = new Car();
                car.seats = 5;
                Truck truck = new Truck();
                truck.capacity = 12.5;
                session.persist(car);
                session.persist(truck);
            });
            same(List.of(5L, 12.5), within(session -> List.of(
                session.createQuery("select sum(seats) from Car", Long.class).getSingleResult(),
                session.createQuery("select max(treat(v as Truck).capacity) from Vehicle v", Double.class).getSingleResult())));
        });
        step("a table for each class, keys from a table of a sequence", () -> {
            inside(session -> {
                for (int shape = 0; shape < 60; shape++) {
                    Shape made = shape % 3 == 0 ? new Circle() : new Square();
                    made.colour = shape % 2 == 0 ? "red" : "blue";
                    session.persist(made);
                }
            });
            same(List.of(60L, 30L, 20L), within(session -> List.of(
                session.createQuery("select count(distinct s.id) from Shape s", Long.class).getSingleResult(),
                session.createQuery("select count(*) from Shape where colour = 'red'", Long.class).getSingleResult(),
                session.createQuery("select count(*) from Circle", Long.class).getSingleResult())));
        });
        step("batches of inserts", () -> {
            inside(session -> {
                for (int seat = 0; seat < 500; seat++) {
                    Ticket ticket = new Ticket();
                    ticket.seat = seat;
                    ticket.level = Level.values()[seat % 3];
                    session.persist(ticket);
                }
            });
            same(500L, count("Ticket"));
        });
        step("a natural id", () -> {
            inside(session -> session.bySimpleNaturalId(Customer.class).load("ada@example.org").email = "ada@example.com");
            same("Ada", within(session ->
                session.bySimpleNaturalId(Customer.class).load("ada@example.com").name));
        });
        step("a row of a view's stead, and rows that are deleted softly", () -> {
            same("41.00", within(session ->
                session.createQuery("from OrderTotal", OrderTotal.class).getSingleResult().total.toString()));
            inside(session -> {
                for (String text : List.of("a", "A", "b")) {
                    Note note = new Note();
                    note.text = text;
                    session.persist(note);
                }
            });
            inside(session -> session.remove(
                session.createQuery("from Note where text = 'a'", Note.class).getSingleResult()));
            same(2L, count("Note"));
            same(3L, within(session -> ((Number) session.createNativeQuery("select count(*) from Note", Object.class)
                .getSingleResult()).longValue()));
        });
        step("a delete by the foreign key's action", () -> {
            inside(session -> {
                Node root = new Node(1, null);
                session.persist(root);
                session.persist(new Node(2, root));
            });
            inside(session -> session.remove(session.find(Node.class, 1)));
            same(0L, count("Node"));
        });
        step("a violated constraint is named", MappingSteps::constraints);
        step("a text too long and a number too large are refused", () -> {
            inside(session -> refused(DataException.class, () -> {
                Kinds made = new Kinds();
                made.text = "x".repeat(41);
                session.persist(made);
                session.flush();
            }));
            inside(session -> refused(DataException.class, () -> {
                Kinds made = new Kinds();
                made.exact = new BigDecimal("1e25");
                session.persist(made);
                session.flush();
            }));
        });
    }

    private static Kinds kinds() {
        Kinds made = new Kinds();
        made.flag = true;
        made.answer = false;
        made.tiny = -128;
        made.small = Short.MAX_VALUE;
        made.integer = Integer.MIN_VALUE;
        made.large = Long.MAX_VALUE;
        made.single = 1.5f;
        made.twice = 1e-300;
        made.exact = new BigDecimal("-12345678901234567890.0123456789");
        made.huge = new BigInteger("12345678901234567890123456789012345678");
        made.letter = 'ü';
        made.text = "grün \u20ac \ud83d\ude00 \\ ' \"";
        made.national = "日本";
        made.book = "b".repeat(70_000);
        made.volume = "l\n";
        made.bytes = new byte[] {0, -1, 39, 92};
        made.photo = new byte[300_000];
        made.photo[299_999] = 1;
        made.spelled = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        made.day = DAY;
        made.time = LocalTime.of(23, 59, 59);
        made.moment = LocalDateTime.of(2026, 2, 28, 1, 2, 3, 123_456_000);
        made.rounded = LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_000_000);
        made.instant = Instant.parse("2026-03-29T01:30:00.000001Z");
        made.zoned = OffsetDateTime.parse("2026-11-30T00:00:00Z");
        made.length = Duration.ofSeconds(90, 5);
        made.ordinal = Level.HIGH;
        made.named = Level.MIDDLE;
        made.spelledOut = Level.LOW;
        made.locale = Locale.GERMANY;
        made.currency = Currency.getInstance("CHF");
        made.json = new LinkedHashMap<>(Map.of("a", List.of(1, "x", true)));
        made.words = new String[] {"one", null, "three"};
        return made;
    }

    private static void constraints() {
        violated("UniqueKey", ConstraintViolationException.ConstraintKind.UNIQUE, "one_number", session -> {
            for (String name : List.of("Bob", "Cid")) {
                Customer made = new Customer(name, "CH");
                made.number = 1;
                session.persist(made);
            }
        });
        violated("Check", ConstraintViolationException.ConstraintKind.CHECK, "amount_positive", session ->
            new Order(customer(session, "Ada"), "-1", DAY));
        violated("ForeignKey", ConstraintViolationException.ConstraintKind.FOREIGN_KEY, "of_customer", session ->
            session.createNativeMutationQuery("update orders set customer_id = 999999").executeUpdate());
        violated("NotNull", ConstraintViolationException.ConstraintKind.NOT_NULL, "name", session ->
            session.createNativeMutationQuery("update customer set name = null").executeUpdate());
    }

    private static void violated(
        String what, ConstraintViolationException.ConstraintKind kind, String name,
        java.util.function.Consumer<org.hibernate.Session> work
    ) {
        ConstraintViolationException error = refused(ConstraintViolationException.class, () -> inside(work));
        if (error.getKind() != kind || !String.valueOf(error.getConstraintName()).endsWith(name)) {
            throw new AssertionError(what + ": " + error.getKind() + " " + error.getConstraintName(), error);
        }
    }

    static Customer customer(org.hibernate.Session session, String name) {
        return session.createQuery("from Customer where name = :name", Customer.class)
            .setParameter("name", name).getSingleResult();
    }

    static long count(String entity) {
        return within(session -> session.createQuery("select count(*) from " + entity, Long.class).getSingleResult());
    }
}

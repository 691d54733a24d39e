import jakarta.persistence.*;
import jakarta.persistence.CascadeType;
import jakarta.persistence.NamedNativeQuery;
import jakarta.persistence.NamedQuery;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Currency;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.hibernate.annotations.*;
import org.hibernate.type.SqlTypes;

/** The entities of the scenario: a shop with customers, orders, payments and stock. */
class Model {
    static final Class<?>[] ENTITIES = {
        Kinds.class, Customer.class, Profile.class, Order.class, Line.class, Club.class, Payment.class, Card.class,
        Transfer.class, Vehicle.class, Car.class, Truck.class, Shape.class, Circle.class, Square.class, Ticket.class,
        Stock.class, Node.class, Note.class, OrderTotal.class,
    };
}

enum Level { LOW, MIDDLE, HIGH }

/** Every basic type that Hibernate has a column for. */
@Entity
class Kinds {
    @Id @GeneratedValue(strategy = GenerationType.UUID) UUID id;
    Boolean flag;
    @Convert(converter = YesNo.class) @Column(length = 3) Boolean answer;
    Byte tiny;
    Short small;
    @Column(name = "`integer`") Integer integer;
    Long large;
    Float single;
    @Column(name = "`double`") Double twice;
    @Column(precision = 30, scale = 10) BigDecimal exact;
    @Column(precision = 38) BigInteger huge;
    Character letter;
    @Column(length = 40) String text;
    @Column(length = 40) @Nationalized String national;
    @Lob @Column(length = 100_000) String book;
    @Column(length = 20_000_000) String volume;
    @Column(length = 50) byte[] bytes;
    @Lob @Column(length = 1_000_000) byte[] photo;
    @JdbcTypeCode(SqlTypes.CHAR) UUID spelled;
    LocalDate day;
    LocalTime time;
    LocalDateTime moment;
    @Column(secondPrecision = 3) LocalDateTime rounded;
    Instant instant;
    @TimeZoneStorage(TimeZoneStorageType.NORMALIZE_UTC) OffsetDateTime zoned;
    Duration length;
    Level ordinal;
    @Enumerated(EnumType.STRING) Level named;
    @Enumerated(EnumType.STRING) @JdbcTypeCode(SqlTypes.VARCHAR) @Column(length = 10) Level spelledOut;
    Locale locale;
    Currency currency;
    @JdbcTypeCode(SqlTypes.JSON) Map<String, Object> json;
    String[] words;
    @Column(updatable = false) @CreationTimestamp Instant made;
    @UpdateTimestamp Instant changed;
}

@Converter
class YesNo implements AttributeConverter<Boolean, String> {
    public String convertToDatabaseColumn(Boolean value) {
        return value == null ? null : value ? "yes" : "no";
    }

    public Boolean convertToEntityAttribute(String stored) {
        return stored == null ? null : stored.equals("yes");
    }
}

@Embeddable
class Address {
    String street;
    @Column(length = 60) String city;
    Integer zip;

    Address() {}

    Address(String street, String city, Integer zip) {
        this.street = street;
        this.city = city;
        this.zip = zip;
    }
}

@Entity
@Table(
    name = "customer",
    uniqueConstraints = @UniqueConstraint(name = "one_number", columnNames = {"number", "country"}),
    indexes = @Index(name = "by_name", columnList = "name, country desc"))
@SecondaryTable(name = "customer_detail", pkJoinColumns = @PrimaryKeyJoinColumn(name = "customer"))
@NamedQuery(name = "of_country", query = "from Customer where country = :country order by name")
@NamedNativeQuery(
    name = "names_raw", query = "SELECT name FROM customer WHERE id > ? ORDER BY name", resultClass = String.class)
@FilterDef(name = "in_country", parameters = @ParamDef(name = "wanted", type = String.class))
@Filter(name = "in_country", condition = "country = :wanted")
@DynamicUpdate
class Customer {
    @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
    @NaturalId(mutable = true) @Column(length = 100, nullable = false) String email;
    @Column(nullable = false, length = 80) String name;
    @Column(length = 2, nullable = false) @ColumnDefault("'CH'") String country = "CH";
    Integer number;
    @Version int version;
    @Embedded Address home;
    @AttributeOverride(name = "street", column = @Column(name = "work_street"))
    @AttributeOverride(name = "city", column = @Column(name = "work_city"))
    @AttributeOverride(name = "zip", column = @Column(name = "work_zip"))
    @Embedded Address work;
    @Column(table = "customer_detail", length = 500) String remark;
    @Formula("(select count(*) from orders o where o.customer_id = id)") long orderCount;
    @ElementCollection @CollectionTable(name = "customer_phone") @Column(name = "phone", length = 30)
    Set<String> phones = new HashSet<>();
    @ElementCollection @MapKeyColumn(name = "subject", length = 30) Map<String, Integer> marks = new HashMap<>();
    @ElementCollection @OrderColumn(name = "place") List<Address> others = new ArrayList<>();
    @OneToMany(mappedBy = "customer", cascade = CascadeType.ALL, orphanRemoval = true) @OrderBy("id")
    List<Order> orders = new ArrayList<>();
    @OneToOne(mappedBy = "customer", cascade = CascadeType.ALL, orphanRemoval = true) Profile profile;
    @ManyToMany @JoinTable(name = "membership") Set<Club> clubs = new HashSet<>();

    long orderCount() {
        return orderCount;
    }

    Customer() {}

    Customer(String name, String country) {
        this.name = name;
        this.country = country;
        this.email = name.toLowerCase(Locale.ROOT) + "@example.org";
    }
}

@Entity
class Profile {
    @Id Long id;
    @MapsId @OneToOne @JoinColumn(name = "id") Customer customer;
    String motto;
}

@Entity
class Club {
    @Id @GeneratedValue(strategy = GenerationType.TABLE, generator = "clubs")
    @TableGenerator(name = "clubs", table = "numbers", pkColumnValue = "club", allocationSize = 5)
    Long id;
    @Column(unique = true, length = 40) String title;
    @ManyToMany(mappedBy = "clubs") Set<Customer> members = new HashSet<>();
}

@Entity
@Table(name = "orders")
class Order {
    @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    @JoinColumn(foreignKey = @ForeignKey(name = "of_customer"))
    Customer customer;
    @Column(precision = 12, scale = 2) @Check(name = "amount_positive", constraints = "amount >= 0") BigDecimal amount;
    LocalDate day;
    @OneToMany(mappedBy = "id.order", cascade = CascadeType.ALL, orphanRemoval = true)
    List<Line> lines = new ArrayList<>();

    Order() {}

    Order(Customer customer, String amount, LocalDate day) {
        this.customer = customer;
        this.amount = new BigDecimal(amount);
        this.day = day;
        customer.orders.add(this);
    }
}

@Embeddable
record LineId(@ManyToOne(optional = false) Order order, int place) {}

@Entity
class Line {
    @EmbeddedId LineId id;
    int quantity;
    @Column(precision = 8, scale = 2) BigDecimal price;
    @GeneratedColumn("quantity * price") @Column(precision = 14, scale = 2) BigDecimal total;
}

/** What a view would be: a sub-query that an entity stands for. */
@Entity
@Immutable
@Subselect("select customer_id as id, sum(amount) as total from orders group by customer_id")
@Synchronize("orders")
class OrderTotal {
    @Id Long id;
    BigDecimal total;
}

@Entity
@Inheritance(strategy = InheritanceType.JOINED)
class Payment {
    @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
    @Column(precision = 12, scale = 2) BigDecimal amount;
    boolean done;
}

@Entity
class Card extends Payment {
    @Column(length = 20) String number;
}

@Entity
class Transfer extends Payment {
    @Column(length = 34) String account;
}

@Entity
@Inheritance(strategy = InheritanceType.SINGLE_TABLE)
@DiscriminatorColumn(name = "kind", length = 10)
class Vehicle {
    @Id @GeneratedValue(strategy = GenerationType.SEQUENCE) Long id;
    String plate;
}

@Entity
@DiscriminatorValue("car")
class Car extends Vehicle {
    Integer seats;
}

@Entity
@DiscriminatorValue("truck")
class Truck extends Vehicle {
    Double capacity;
}

@Entity
@Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
abstract class Shape {
    @Id @GeneratedValue(strategy = GenerationType.SEQUENCE) Long id;
    String colour;
}

@Entity
class Circle extends Shape {
    double radius;
}

@Entity
class Square extends Shape {
    double side;
}

/** Batches: its keys come from a table, by a hundred. */
@Entity
class Ticket {
    @Id @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "tickets")
    @SequenceGenerator(name = "tickets", sequenceName = "ticket_numbers", allocationSize = 100)
    Long id;
    int seat;
    @Enumerated(EnumType.STRING) Level level;
}

/** What is locked. */
@Entity
class Stock {
    @Id Integer id;
    int pieces;

    Stock() {}

    Stock(int id, int pieces) {
        this.id = id;
        this.pieces = pieces;
    }
}

@Entity
class Node {
    @Id Integer id;
    @ManyToOne(fetch = FetchType.LAZY) @OnDelete(action = OnDeleteAction.CASCADE) Node parent;

    Node() {}

    Node(int id, Node parent) {
        this.id = id;
        this.parent = parent;
    }
}

@Entity
@SoftDelete(columnName = "gone")
class Note {
    @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Integer id;
    @Column(length = 100, columnDefinition = "varchar(100) collate utf8mb4_bin") @org.hibernate.annotations.Comment("what was noted") String text;
}

/** An address as a document of JSON; not among the others, for Hibernate has that for MySQL and not for MariaDB. */
@Entity
class Filed {
    @Id Integer id;
    @JdbcTypeCode(SqlTypes.JSON) Address document;
}

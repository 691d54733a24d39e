"""SQLAlchemy over PyMySQL and over Connector/Python: tables made and read back by reflection, the
ORM with a transaction rolled back, relations, bulk inserts, expressions, errors."""

import datetime
import decimal

import sqlalchemy as sa
from scenario import PORT, ROOT_PASSWORD, Suite, same
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "user"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(50), unique=True)
    email: Mapped[str | None] = mapped_column(sa.String(100), index=True)
    balance: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(12, 2), default=0)
    active: Mapped[bool] = mapped_column(default=True)
    created: Mapped[datetime.datetime] = mapped_column(sa.DateTime)
    photo: Mapped[bytes | None] = mapped_column(sa.LargeBinary)
    tags: Mapped[dict | None] = mapped_column(sa.JSON(none_as_null=True))
    orders: Mapped[list["Order"]] = relationship(
        back_populates="user",
        primaryjoin="User.id == foreign(Order.user_id)",
        order_by="Order.id",
    )


class Order(Base):
    # A relation without a foreign key in the database: Rowhouse has none.
    __tablename__ = "order"
    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(index=True)
    item: Mapped[str] = mapped_column(sa.Text)
    user: Mapped[User] = relationship(
        back_populates="orders",
        primaryjoin="User.id == foreign(Order.user_id)",
    )


BORN = datetime.datetime(2024, 2, 29, 12, 34, 56)


def reflection(engine):
    inspector = sa.inspect(engine)
    same(sorted(inspector.get_table_names()), ["order", "user"])
    columns = {column["name"]: column for column in inspector.get_columns("user")}
    same(list(columns), ["id", "name", "email", "balance", "active", "created", "photo", "tags"])
    same(str(columns["balance"]["type"]), "DECIMAL(12, 2)")
    same([columns[name]["nullable"] for name in ("id", "name", "email")], [False, False, True])
    same(inspector.get_pk_constraint("user")["constrained_columns"], ["id"])
    indexes = {
        index["name"]: (index["column_names"], index["unique"])
        for index in inspector.get_indexes("user")
    }
    same(indexes, {"name": (["name"], True), "ix_user_email": (["email"], False)})
    assert inspector.has_table("user") and not inspector.has_table("nothing")


def objects(engine):
    with Session(engine) as session:
        ann = User(name="ann \U0001F600", created=BORN, balance=decimal.Decimal("12.30"))
        ann.photo, ann.tags = b"\x00\xff'", {"a": [1, None]}
        ann.orders = [Order(item="pen"), Order(item="ink")]
        session.add_all([ann, User(name="bob", email="b@example.org", created=BORN, active=False)])
        session.commit()
    with Session(engine) as session:
        ann = session.scalars(sa.select(User).where(User.name.like("ann%"))).one()
        same((ann.id, ann.name, ann.email), (1, "ann \U0001F600", None))
        same((ann.balance, ann.active, ann.created), (decimal.Decimal("12.30"), True, BORN))
        same((ann.photo, ann.tags), (b"\x00\xff'", {"a": [1, None]}))
        same([order.item for order in ann.orders], ["pen", "ink"])
        ann.balance += 1
        session.flush()
        session.delete(session.get(User, 2))
        session.flush()
        session.rollback()
        same((ann.balance, session.get(User, 2).active), (decimal.Decimal("12.30"), False))


def expressions(engine):
    with Session(engine) as session:
        session.execute(
            sa.insert(User),
            [{"name": f"u{i}", "created": BORN, "balance": i} for i in range(1000)],
        )
        session.commit()
        same(session.scalar(sa.select(sa.func.count()).select_from(User)), 1002)
        total = sa.select(sa.func.sum(User.balance)).where(User.balance.between(10, 19))
        same(session.scalar(total), decimal.Decimal("157.30"))
        joined = (
            sa.select(User.name, sa.func.count(Order.id))
            .join(Order, Order.user_id == User.id, isouter=True)
            .where(User.id < 3)
            .group_by(User.name)
            .order_by(User.name)
        )
        same([tuple(row) for row in session.execute(joined)], [("ann \U0001F600", 2), ("bob", 0)])
        changed = session.execute(
            sa.update(User).where(User.name.in_(["u1", "u2"])).values(balance=User.balance * 2)
        )
        same(changed.rowcount, 2)
        page = sa.select(User.name).order_by(User.id.desc()).limit(2).offset(1)
        same(session.scalars(page).all(), ["u998", "u997"])
        session.rollback()


def errors(engine):
    with Session(engine) as session:
        session.add(User(name="bob", created=BORN))
        try:
            session.commit()
            raise AssertionError("a second bob came in")
        except sa.exc.IntegrityError:
            session.rollback()
        session.begin_nested()
        session.rollback()
        same(session.scalar(sa.select(sa.func.count()).where(User.name == "bob")), 1)


def savepoints(engine):
    with Session(engine) as session:
        session.add(User(name="kept", created=BORN))
        with session.begin_nested() as inner:
            session.add(User(name="not kept", created=BORN))
            session.flush()
            inner.rollback()
        session.commit()
        names = sa.select(User.name).where(User.name.like("%kept"))
        same(session.scalars(names).all(), ["kept"])


def main():
    ended = []
    for driver in ("pymysql", "mysqlconnector"):
        suite = Suite(f"SQLAlchemy, {driver}")
        address = f"mysql+{driver}://root:{ROOT_PASSWORD}@127.0.0.1:{PORT}/"
        with sa.create_engine(address).connect() as connection:
            connection.execute(sa.text("DROP DATABASE IF EXISTS with_sqlalchemy"))
            connection.execute(sa.text("CREATE DATABASE with_sqlalchemy CHARACTER SET utf8mb4"))
        engine = sa.create_engine(address + "with_sqlalchemy?charset=utf8mb4", pool_size=4)
        suite.check("tables are made", lambda: Base.metadata.create_all(engine))
        suite.check("tables are read back", lambda: reflection(engine))
        suite.check("objects, relations, a rollback", lambda: objects(engine))
        suite.check("bulk insert and expressions", lambda: expressions(engine))
        suite.check("errors", lambda: errors(engine))
        suite.check("savepoints", lambda: savepoints(engine))
        suite.check("tables are dropped", lambda: Base.metadata.drop_all(engine))
        engine.dispose()
        ended.append(suite.failed)
    raise SystemExit(1 if any(ended) else 0)


main()

//! The five transactions (TPC-C, clauses 2.4 to 2.8): what is asked for, and how it is done.
//!
//! Each runs between BEGIN and COMMIT on one session, may be run again with the same input when
//! the server takes it back, and gives what it added to the books. What a statement says is judged
//! where the specification fixes it: a row that must be there is there, a change finds its row.

use anyhow::{Result, ensure};

use super::load::money;
use super::scale::{DISTRICTS, OrdersScale};
use super::statements::Statements;
use crate::experiments::dice::Dice;
use crate::protocols::mysql::{MysqlSession, MysqlValue};

/// The moment that rows of a run are given; no condition depends on it.
const NOW: &str = "2026-02-01 12:00:00";
/// What fits into `c_data`.
const DATA_BYTES_MAX: usize = 500;

/// What sort of transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TransactionKind {
    /// An order of 5 to 15 lines.
    NewOrder,
    /// A customer pays.
    Payment,
    /// A customer's last order.
    OrderStatus,
    /// The oldest new order of each district is delivered.
    Delivery,
    /// Stocks below a threshold among the last 20 orders.
    StockLevel,
}

impl TransactionKind {
    /// All, with their part of the mix in percent.
    pub const MIX: [(TransactionKind, i64); 5] = [
        (TransactionKind::NewOrder, 45),
        (TransactionKind::Payment, 43),
        (TransactionKind::OrderStatus, 4),
        (TransactionKind::Delivery, 4),
        (TransactionKind::StockLevel, 4),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TransactionKind::NewOrder => "new-order",
            TransactionKind::Payment => "payment",
            TransactionKind::OrderStatus => "order-status",
            TransactionKind::Delivery => "delivery",
            TransactionKind::StockLevel => "stock-level",
        }
    }
}

/// What transactions have added, or a set of acknowledged ones together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Books {
    /// New orders.
    pub orders: u64,
    /// Payments.
    pub payments: u64,
    /// Orders delivered.
    pub deliveries: u64,
}

impl Books {
    /// Adds another's.
    pub fn add(&mut self, other: Books) {
        self.orders += other.orders;
        self.payments += other.payments;
        self.deliveries += other.deliveries;
    }
}

/// One order line: item, supplying warehouse, quantity.
type OrderLine = (i64, i64, i64);

/// How a client names a customer.
#[derive(Debug, Clone)]
pub enum CustomerName {
    /// By number.
    Number(i64),
    /// By last name: the middle one of all who have it, by first name.
    Name(String),
}

/// One transaction's input.
#[derive(Debug, Clone)]
pub enum Input {
    /// District, customer, lines; the last item may be one that does not exist.
    NewOrder(i64, i64, Vec<OrderLine>),
    /// District, the customer's warehouse and district, who, cents.
    Payment(i64, i64, i64, CustomerName, i64),
    /// District, who.
    OrderStatus(i64, CustomerName),
    /// Carrier.
    Delivery(i64),
    /// District, threshold.
    StockLevel(i64, i64),
}

impl Input {
    fn draw(kind: TransactionKind, warehouse: i64, scale: OrdersScale, dice: &mut Dice) -> Input {
        let district = dice.between(1, DISTRICTS);
        match kind {
            TransactionKind::NewOrder => {
                let customer = scale.customer(dice);
                let mut lines: Vec<OrderLine> = (0..dice.between(5, 15))
                    .map(|_| {
                        let remote = dice.percent(1);
                        let from = if remote { other(warehouse, scale, dice) } else { warehouse };
                        (scale.item(dice), from, dice.between(1, 10))
                    })
                    .collect();
                if let Some(last) = lines.last_mut()
                    && dice.percent(1)
                {
                    last.0 = scale.items + 1;
                }
                Input::NewOrder(district, customer, lines)
            }
            TransactionKind::Payment => {
                let (w, d) = if dice.percent(85) {
                    (warehouse, district)
                } else {
                    (other(warehouse, scale, dice), dice.between(1, DISTRICTS))
                };
                let who = CustomerName::draw(scale, dice);
                Input::Payment(district, w, d, who, dice.between(100, 500_000))
            }
            TransactionKind::OrderStatus => {
                Input::OrderStatus(district, CustomerName::draw(scale, dice))
            }
            TransactionKind::Delivery => Input::Delivery(dice.between(1, 10)),
            TransactionKind::StockLevel => Input::StockLevel(district, dice.between(10, 20)),
        }
    }
}

impl CustomerName {
    fn draw(scale: OrdersScale, dice: &mut Dice) -> CustomerName {
        if dice.percent(60) {
            CustomerName::Name(scale.name_asked(dice))
        } else {
            CustomerName::Number(scale.customer(dice))
        }
    }
}

fn other(warehouse: i64, scale: OrdersScale, dice: &mut Dice) -> i64 {
    if scale.warehouses == 1 {
        return warehouse;
    }
    let drawn = dice.between(1, scale.warehouses - 1);
    if drawn < warehouse { drawn } else { drawn + 1 }
}

/// A client's session with its statements, at home in one warehouse.
pub struct Desk {
    /// The session.
    pub session: MysqlSession,
    statements: Statements,
    warehouse: i64,
}

impl Desk {
    /// Prepares the statements on a session.
    pub fn new(mut session: MysqlSession, warehouse: i64) -> Result<Desk> {
        let statements = Statements::prepare(&mut session)?;
        Ok(Desk { session, statements, warehouse })
    }

    /// Draws an input for this desk.
    pub fn draw(&self, kind: TransactionKind, scale: OrdersScale, dice: &mut Dice) -> Input {
        Input::draw(kind, self.warehouse, scale, dice)
    }

    /// Does a transaction once, to its COMMIT or intended ROLLBACK.
    pub fn transact(&mut self, input: &Input) -> Result<Books> {
        self.session.run("BEGIN")?;
        let done = match input {
            Input::NewOrder(district, customer, lines) => {
                let Some(books) = self.new_order(*district, *customer, lines)? else {
                    self.session.run("ROLLBACK")?;
                    return Ok(Books::default());
                };
                books
            }
            Input::Payment(district, w, d, who, cents) => {
                self.payment(*district, (*w, *d), who, *cents)?
            }
            Input::OrderStatus(district, who) => self.order_status(*district, who)?,
            Input::Delivery(carrier) => self.delivery(*carrier)?,
            Input::StockLevel(district, threshold) => self.stock_level(*district, *threshold)?,
        };
        self.session.run("COMMIT")?;
        Ok(done)
    }

    /// `None`: an item does not exist, and the order is taken back (clause 2.4.1.4).
    fn new_order(&mut self, d: i64, customer: i64, lines: &[OrderLine]) -> Result<Option<Books>> {
        let (w, session, ask) = (self.warehouse, &mut self.session, &mut self.statements);
        let key = [MysqlValue::Int(w), MysqlValue::Int(d), MysqlValue::Int(customer)];
        let known = ask.customer_and_warehouse.row(session, &key)?;
        let (_discount, _tax) = (known.units(0)?, known.units(3)?);
        let district = ask.next_order.row(session, &[MysqlValue::Int(w), MysqlValue::Int(d)])?;
        let order = district.int(0)?;
        let counted = [MysqlValue::Int(order + 1), MysqlValue::Int(w), MysqlValue::Int(d)];
        ask.count_order.affect_one(session, &counted)?;
        let local = i64::from(lines.iter().all(|line| line.1 == w));
        let [o, d_value, w_value] = [order, d, w].map(MysqlValue::Int);
        let (count, at) = (MysqlValue::Int(lines.len() as i64), MysqlValue::Text(NOW));
        let row =
            [o, d_value, w_value, MysqlValue::Int(customer), at, count, MysqlValue::Int(local)];
        ask.add_order.affect_one(session, &row)?;
        ask.add_new_order.affect_one(session, &[o, d_value, w_value])?;
        for (number, &(item, from, quantity)) in (1..).zip(lines) {
            let items = ask.item.rows(session, &[MysqlValue::Int(item)])?;
            let Some(price) = items.first().map(|item| item.units(0)).transpose()? else {
                return Ok(None);
            };
            let key = [MysqlValue::Int(item), MysqlValue::Int(from)];
            let stock = ask.stock[d as usize - 1].row(session, &key)?;
            let (there, info) = (stock.int(0)?, stock.text(2)?);
            let left = there - quantity + if there >= quantity + 10 { 0 } else { 91 };
            let remote = MysqlValue::Int(i64::from(from != w));
            let (left, amount) = (MysqlValue::Int(left), money(price * quantity));
            let change = [left, MysqlValue::Int(quantity), remote, key[0], key[1]];
            ask.change_stock.affect_one(session, &change)?;
            let row = [
                o,
                d_value,
                w_value,
                MysqlValue::Int(number),
                key[0],
                key[1],
                MysqlValue::Int(quantity),
                MysqlValue::Decimal(&amount),
                MysqlValue::Text(info),
            ];
            ask.add_order_line.affect_one(session, &row)?;
        }
        Ok(Some(Books { orders: 1, ..Books::default() }))
    }

    fn payment(
        &mut self,
        d: i64,
        home: (i64, i64),
        who: &CustomerName,
        cents: i64,
    ) -> Result<Books> {
        let w = self.warehouse;
        let amount = money(cents);
        let (session, ask) = (&mut self.session, &mut self.statements);
        let (paid, place) =
            (MysqlValue::Decimal(&amount), [MysqlValue::Int(w), MysqlValue::Int(d)]);
        ask.pay_warehouse.affect_one(session, &[paid, place[0]])?;
        let warehouse = ask.warehouse.row(session, &place[..1])?;
        ask.pay_district.affect_one(session, &[paid, place[0], place[1]])?;
        let district = ask.district.row(session, &place)?;
        let text = format!("{}    {}", warehouse.text(5)?, district.text(5)?);
        let c = self.customer(home, who)?;
        let (session, ask) = (&mut self.session, &mut self.statements);
        let key = [home.0, home.1, c].map(MysqlValue::Int);
        let customer = ask.customer_to_pay.row(session, &key)?;
        if customer.text(9)? == "BC" {
            let known = ask.customer_data.row(session, &key)?;
            let (c_d, c_w) = (home.1, home.0);
            let mut data = format!("{c} {c_d} {c_w} {d} {w} {amount} | {}", known.text(0)?);
            data.truncate(DATA_BYTES_MAX);
            let change = [paid, paid, MysqlValue::Text(&data), key[0], key[1], key[2]];
            ask.pay_bad_customer.affect_one(session, &change)?;
        } else {
            ask.pay_customer.affect_one(session, &[paid, paid, key[0], key[1], key[2]])?;
        }
        let (at, text) = (MysqlValue::Text(NOW), MysqlValue::Text(&text));
        let row = [key[1], key[0], key[2], place[1], place[0], at, paid, text];
        ask.add_history.affect_one(session, &row)?;
        Ok(Books { payments: 1, ..Books::default() })
    }

    fn order_status(&mut self, d: i64, who: &CustomerName) -> Result<Books> {
        let w = self.warehouse;
        let c = self.customer((w, d), who)?;
        let (session, ask) = (&mut self.session, &mut self.statements);
        let key = [w, d, c].map(MysqlValue::Int);
        ask.customer.row(session, &key)?.units(0)?;
        let order = ask.last_order.row(session, &key)?.int(0)?;
        let key = [w, d, order].map(MysqlValue::Int);
        let lines = ask.order_lines.rows(session, &key)?.len();
        ensure!((5..=15).contains(&lines), "order {order} of ({w}, {d}) has {lines} lines");
        Ok(Books::default())
    }

    fn delivery(&mut self, carrier: i64) -> Result<Books> {
        let (w, session, ask) = (self.warehouse, &mut self.session, &mut self.statements);
        let mut books = Books::default();
        for d in 1..=DISTRICTS {
            let place = [MysqlValue::Int(w), MysqlValue::Int(d)];
            let oldest = ask.oldest_new_order.rows(session, &place)?;
            // A district without new orders is passed over (clause 2.7.4.2).
            let Some(order) = oldest.first().map(|row| row.int(0)).transpose()? else {
                continue;
            };
            let key = [place[0], place[1], MysqlValue::Int(order)];
            ask.remove_new_order.affect_one(session, &key)?;
            let c = ask.customer_of_order.row(session, &key)?.int(0)?;
            let sent = [MysqlValue::Int(carrier), key[0], key[1], key[2]];
            ask.send_order.affect_one(session, &sent)?;
            let delivered = [MysqlValue::Text(NOW), key[0], key[1], key[2]];
            let lines = ask.deliver_lines.affect(session, &delivered)?;
            ensure!((5..=15).contains(&lines), "{lines} lines of order {order} were delivered");
            let sum = ask.sum_of_lines.row(session, &key)?;
            let charge = [MysqlValue::Decimal(sum.text(0)?), key[0], key[1], MysqlValue::Int(c)];
            ask.charge_customer.affect_one(session, &charge)?;
            books.deliveries += 1;
        }
        Ok(books)
    }

    fn stock_level(&mut self, d: i64, threshold: i64) -> Result<Books> {
        let (w, session, ask) = (self.warehouse, &mut self.session, &mut self.statements);
        let place = [MysqlValue::Int(w), MysqlValue::Int(d)];
        let next = ask.district_orders.row(session, &place)?.int(0)?;
        let range = [next, next - 20, w, threshold].map(MysqlValue::Int);
        let low = [place[0], place[1], range[0], range[1], range[2], range[3]];
        ask.low_stocks.row(session, &low)?.int(0)?;
        Ok(Books::default())
    }

    fn customer(&mut self, home: (i64, i64), who: &CustomerName) -> Result<i64> {
        let name = match who {
            CustomerName::Number(number) => return Ok(*number),
            CustomerName::Name(name) => name,
        };
        let key = [MysqlValue::Int(home.0), MysqlValue::Int(home.1), MysqlValue::Text(name)];
        let found = self.statements.customers_by_name.rows(&mut self.session, &key)?;
        ensure!(!found.is_empty(), "nobody in {home:?} has the name {name}");
        found[(found.len() - 1) / 2].int(0)
    }
}

//! The statements of the five transactions, prepared once for each terminal, with typed parameters.
//!
//! They are worded as the usual implementations for MySQL word them: rows that will be changed are
//! read FOR UPDATE, stock-level joins, customers are found by last name in the order of first
//! names.

use anyhow::Result;

use super::scale::DISTRICTS;
use crate::protocols::mysql::{MysqlSession, Statement};

macro_rules! statements {
    ($($name:ident: $sql:expr,)*) => {
        /// The prepared statements of a session.
        pub struct Statements {
            $(pub $name: Statement,)*
            /// By district: what a stock says of that district.
            pub stock: Vec<Statement>,
        }

        impl Statements {
            /// Prepares all.
            pub fn prepare(session: &mut MysqlSession) -> Result<Statements> {
                let stock = (1..=DISTRICTS).map(|district| {
                    Statement::prepare(
                        session,
                        &format!(
                            "SELECT s_quantity, s_data, s_dist_{district:02} FROM stock \
                             WHERE s_i_id = ? AND s_w_id = ? FOR UPDATE"
                        ),
                    )
                });
                let stock = stock.collect::<Result<_>>()?;
                Ok(Statements { $($name: Statement::prepare(session, $sql)?,)* stock })
            }
        }
    };
}

statements! {
    // New-order.
    customer_and_warehouse:
        "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse \
         WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?",
    next_order:
        "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE",
    count_order:
        "UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?",
    add_order:
        "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) \
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    add_new_order:
        "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)",
    item:
        "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?",
    change_stock:
        "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, \
         s_remote_cnt = s_remote_cnt + ? WHERE s_i_id = ? AND s_w_id = ?",
    add_order_line:
        "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, \
         ol_quantity, ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    // Payment.
    pay_warehouse:
        "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?",
    warehouse:
        "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse \
         WHERE w_id = ?",
    pay_district:
        "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?",
    district:
        "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district \
         WHERE d_w_id = ? AND d_id = ?",
    customers_by_name:
        "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? \
         ORDER BY c_first",
    customer_to_pay:
        "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, \
         c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_since FROM customer \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE",
    customer_data:
        "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
    pay_customer:
        "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, \
         c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
    pay_bad_customer:
        "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, \
         c_payment_cnt = c_payment_cnt + 1, c_data = ? \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
    add_history:
        "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, \
         h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    // Order-status.
    customer:
        "SELECT c_balance, c_first, c_middle, c_last FROM customer \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
    last_order:
        "SELECT o_id, o_carrier_id, o_entry_d FROM orders \
         WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1",
    order_lines:
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line \
         WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
    // Delivery.
    oldest_new_order:
        "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? \
         ORDER BY no_o_id LIMIT 1 FOR UPDATE",
    remove_new_order:
        "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?",
    customer_of_order:
        "SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ? FOR UPDATE",
    send_order:
        "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
    deliver_lines:
        "UPDATE order_line SET ol_delivery_d = ? \
         WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
    sum_of_lines:
        "SELECT SUM(ol_amount) FROM order_line \
         WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
    charge_customer:
        "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 \
         WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
    // Stock-level.
    district_orders:
        "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?",
    low_stocks:
        "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock \
         WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? \
         AND s_w_id = ? AND s_i_id = ol_i_id AND s_quantity < ?",
}

//! Writes that share a commit with those of other connections.

use doors::Next;
use rows::Group;

use super::House;
use super::client::{Client, DEPRECATE_EOF, OK, error_number, text_row};

const UPDATE: &str = "UPDATE item SET price = 2 WHERE id = 1";

fn second(house: &House) -> Client {
    let mut client = Client::logged_in(&house.engine, &house.door, DEPRECATE_EOF);
    assert_eq!(client.query("USE shop")[0][0], OK);
    client
}

#[test]
fn writes_of_two_connections_are_acknowledged_by_one_commit() {
    if crate::COLD {
        return; // Nothing is served in a loop.
    }
    let house = House::open();
    let mut clients = [house.client(DEPRECATE_EOF), second(&house)];
    let group = &mut Group::new();
    clients[0].ask(UPDATE);
    clients[1].ask("INSERT INTO item (name) VALUES ('cup')");
    for client in &mut clients {
        assert_eq!(client.turn(group), Next::Commit);
    }
    let (transaction, durability) = group.take().expect("both wrote");
    transaction.commit(durability).expect("commits");
    for client in &mut clients {
        assert_eq!(client.answers()[0][0], OK);
    }
    let rows = clients[0].query("SELECT price FROM item WHERE id = 1");
    assert_eq!(text_row(&rows[2]), [Some("2.00".to_owned())]);
}

#[test]
fn a_commit_that_fails_is_one_error_for_each_writer_and_both_go_on() {
    if crate::COLD {
        return; // Nothing is served in a loop.
    }
    let house = House::open();
    let mut clients = [house.client(DEPRECATE_EOF), second(&house)];
    let group = &mut Group::new();
    for (client, text) in clients.iter_mut().zip([UPDATE, "DELETE FROM item WHERE id = 2"]) {
        client.ask(text);
        assert_eq!(client.turn(group), Next::Commit);
    }
    drop(group.take());
    for client in &mut clients {
        let answers = client.fail_commit(&rows::Error::Refused { why: "the disk is full" });
        assert_eq!(answers.len(), 1);
        assert_eq!(error_number(&answers[0]), 1290);
        let rows = client.query("SHOW WARNINGS");
        let warning = text_row(&rows[4]);
        assert_eq!(warning[1].as_deref(), Some("1290"));
    }
    let rows = clients[0].query("SELECT price FROM item");
    assert_eq!(rows.len(), 1 + 1 + 2 + 1, "nothing changed");
}

#[test]
fn what_is_answered_before_a_write_in_one_turn_leaves_before_it() {
    if crate::COLD {
        return; // Nothing is served in a loop.
    }
    let house = House::open();
    let mut client = house.client(DEPRECATE_EOF);
    let group = &mut Group::new();
    client.ask("SELECT name FROM item WHERE id = 1");
    client.ask(UPDATE);
    client.ask("SELECT price FROM item WHERE id = 1");
    assert_eq!(client.turn(group), Next::Again);
    assert_eq!(client.answers().len(), 1 + 1 + 1 + 1);
    assert_eq!(client.turn(group), Next::Commit);
    assert_eq!(client.answers().len(), 1, "the read behind it waits for the commit");
    let (transaction, durability) = group.take().expect("it wrote");
    transaction.commit(durability).expect("commits");
    assert_eq!(client.turn(group), Next::Input);
    assert_eq!(text_row(&client.answers()[2]), [Some("2.00".to_owned())]);
}

#[test]
fn a_statement_that_found_nothing_to_write_is_answered_at_once() {
    if crate::COLD {
        return; // Nothing is served in a loop.
    }
    let house = House::open();
    let mut client = house.client(DEPRECATE_EOF);
    let group = &mut Group::new();
    client.ask("DELETE FROM item WHERE id = 77");
    assert_eq!(client.turn(group), Next::Input);
    assert_eq!(client.answers()[0][0], OK);
}

#[test]
fn commits_of_two_transactions_are_acknowledged_by_one_commit_or_fail_together() {
    if crate::COLD {
        return; // Nothing is served in a loop.
    }
    let house = House::open();
    let mut clients = [house.client(DEPRECATE_EOF), second(&house)];
    for (client, text) in clients.iter_mut().zip([UPDATE, "DELETE FROM item WHERE id = 2"]) {
        let offloads = client.offloads;
        assert_eq!(client.query("BEGIN")[0][0], OK);
        assert_eq!(client.query(text)[0][0], OK);
        assert_eq!(client.offloads, offloads, "nothing has to wait");
    }
    let group = &mut Group::new();
    for client in &mut clients {
        client.ask("COMMIT");
        assert_eq!(client.turn(group), Next::Commit);
    }
    drop(group.take());
    for client in &mut clients {
        let answers = client.fail_commit(&rows::Error::Refused { why: "the disk is full" });
        assert_eq!(answers.len(), 1);
        assert_eq!(error_number(&answers[0]), 1290);
    }
    let rows = clients[0].query("SELECT price FROM item");
    assert_eq!(rows.len(), 1 + 1 + 2 + 1, "nothing changed");
}

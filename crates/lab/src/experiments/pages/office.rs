//! An office: Django's administration with its users, groups, permissions and log, and what it asks
//! for its index, the list of users, the list of log entries and a choice of those who may do
//! something. The wording is ours, the shapes are those of Django's object mapper.

use anyhow::Result;

use super::site::{Site, TableLines, moment};
use super::view::{Page, RowOrder, View, text};
use crate::experiments::dice::{Dice, WORDS};

/// The office.
pub const OFFICE: Site = Site {
    name: "office",
    hello: "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    tables: TABLES,
    rows,
    pages: &[
        Page { name: "office: index", visit: index },
        Page { name: "office: users", visit: users },
        Page { name: "office: log", visit: log },
        Page { name: "office: who may", visit: who_may },
    ],
};

const TABLES: &[&str] = &[
    "CREATE TABLE django_content_type (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
     app_label VARCHAR(100) NOT NULL, model VARCHAR(100) NOT NULL, \
     UNIQUE KEY app_label_model (app_label, model)) ENGINE=InnoDB",
    "CREATE TABLE auth_permission (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
     name VARCHAR(255) NOT NULL, content_type_id INT NOT NULL, codename VARCHAR(100) NOT NULL, \
     UNIQUE KEY type_codename (content_type_id, codename)) ENGINE=InnoDB",
    "CREATE TABLE auth_group (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
     name VARCHAR(150) NOT NULL UNIQUE) ENGINE=InnoDB",
    "CREATE TABLE auth_group_permissions (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
     group_id INT NOT NULL, permission_id INT NOT NULL, \
     UNIQUE KEY group_permission (group_id, permission_id), KEY by_permission (permission_id)) \
     ENGINE=InnoDB",
    "CREATE TABLE auth_user (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
     password VARCHAR(128) NOT NULL, last_login DATETIME(6), is_superuser TINYINT(1) NOT NULL, \
     username VARCHAR(150) NOT NULL UNIQUE, first_name VARCHAR(150) NOT NULL, \
     last_name VARCHAR(150) NOT NULL, email VARCHAR(254) NOT NULL, is_staff TINYINT(1) NOT NULL, \
     is_active TINYINT(1) NOT NULL, date_joined DATETIME(6) NOT NULL) ENGINE=InnoDB",
    "CREATE TABLE auth_user_groups (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
     user_id INT NOT NULL, group_id INT NOT NULL, UNIQUE KEY user_group (user_id, group_id), \
     KEY by_group (group_id)) ENGINE=InnoDB",
    "CREATE TABLE auth_user_user_permissions (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
     user_id INT NOT NULL, permission_id INT NOT NULL, \
     UNIQUE KEY user_permission (user_id, permission_id), KEY by_permission (permission_id)) \
     ENGINE=InnoDB",
    "CREATE TABLE django_admin_log (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
     action_time DATETIME(6) NOT NULL, object_id LONGTEXT, object_repr VARCHAR(200) NOT NULL, \
     action_flag SMALLINT UNSIGNED NOT NULL, change_message LONGTEXT NOT NULL, \
     content_type_id INT, user_id INT NOT NULL, KEY by_type (content_type_id), \
     KEY by_user (user_id)) ENGINE=InnoDB",
    "CREATE TABLE django_session (session_key VARCHAR(40) NOT NULL PRIMARY KEY, \
     session_data LONGTEXT NOT NULL, expire_date DATETIME(6) NOT NULL, \
     KEY by_expire (expire_date)) ENGINE=InnoDB",
];

const USERS: i64 = 2_000;
const STAFF: i64 = 50;
const TYPES: i64 = 60;
const GROUPS: i64 = 20;
const ENTRIES: i64 = 30_000;
const PERMISSIONS: i64 = TYPES * 4;

fn rows(seed: u64, size: i64) -> Vec<TableLines> {
    let mut dice = Dice::new(seed, &[3]);
    let (users, entries) = ((USERS * size / 100).max(100), (ENTRIES * size / 100).max(500));
    let mut of = [const { Vec::new() }; 9];
    let [kind, permission, group, of_group, user, in_group, of_user, log, session] = &mut of;
    for id in 1..=TYPES {
        let word = WORDS[id as usize % WORDS.len()];
        kind.push(format!("{id}\tapp{}\t{word}{id}", id % 8));
        for action in ["add", "change", "delete", "view"] {
            let number = permission.len() + 1;
            permission.push(format!("{number}\tCan {action} {word}\t{id}\t{action}_{word}{id}"));
        }
    }
    for id in 1..=GROUPS {
        group.push(format!("{id}\tgroup {id}"));
        for number in chosen(&mut dice, 40, PERMISSIONS) {
            of_group.push(format!("{}\t{id}\t{number}", of_group.len() + 1));
        }
    }
    for id in 1..=users {
        let (pass, last) = (dice.letters(88, 88), dice.one_of(WORDS));
        let (staff, chief) = (i64::from(id <= STAFF), i64::from(id <= 3));
        let active = i64::from(dice.percent(95));
        let (login, joined) = (moment(500_000 + id * 7), moment(id * 100));
        user.push(format!(
            "{id}\tpbkdf2${pass}\t{login}.123456\t{chief}\tuser{id:05}\tFirst{id}\t{last}\t\
             user{id}@example.com\t{staff}\t{active}\t{joined}.000000"
        ));
        for number in chosen(&mut dice, 2, GROUPS) {
            in_group.push(format!("{}\t{id}\t{number}", in_group.len() + 1));
        }
        if dice.percent(10) {
            for number in chosen(&mut dice, 3, PERMISSIONS) {
                of_user.push(format!("{}\t{id}\t{number}", of_user.len() + 1));
            }
        }
        let data = dice.letters(150, 300);
        session.push(format!("session{id:033}\t{data}\t{}.500000", moment(900_000 + id)));
    }
    for id in 1..=entries {
        let (who, what, flag) =
            (dice.between(1, STAFF), dice.between(1, TYPES), dice.between(1, 3));
        let what = if dice.percent(2) { "\\N".to_owned() } else { what.to_string() };
        let (object, words) = (dice.between(1, 100_000), dice.between(1, 6));
        let said = dice.words(words);
        log.push(format!(
            "{id}\t{}.000100\t{object}\t{said}\t{flag}\t[{{\"changed\": \"{said}\"}}]\t{what}\t{who}",
            moment(id * 20)
        ));
    }
    let names = [
        "django_content_type",
        "auth_permission",
        "auth_group",
        "auth_group_permissions",
        "auth_user",
        "auth_user_groups",
        "auth_user_user_permissions",
        "django_admin_log",
        "django_session",
    ];
    names.into_iter().zip(of).map(|(table, lines)| TableLines { table, lines }).collect()
}

/// Up to so many different numbers.
fn chosen(dice: &mut Dice, count: i64, most: i64) -> Vec<i64> {
    let mut numbers: Vec<i64> = (0..count).map(|_| dice.between(1, most)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

const USER: &str = "`auth_user`.`id`, `auth_user`.`password`, `auth_user`.`last_login`, \
     `auth_user`.`is_superuser`, `auth_user`.`username`, `auth_user`.`first_name`, \
     `auth_user`.`last_name`, `auth_user`.`email`, `auth_user`.`is_staff`, \
     `auth_user`.`is_active`, `auth_user`.`date_joined`";
const ENTRY: &str = "`django_admin_log`.`id`, `django_admin_log`.`action_time`, \
     `django_admin_log`.`user_id`, `django_admin_log`.`content_type_id`, \
     `django_admin_log`.`object_id`, `django_admin_log`.`object_repr`, \
     `django_admin_log`.`action_flag`, `django_admin_log`.`change_message`";
const TYPE: &str = "`django_content_type`.`id`, `django_content_type`.`app_label`, \
     `django_content_type`.`model`";

fn index(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let user = signed_in(view, dice)?;
    permissions(view, user)?;
    view.ask(
        "recent actions",
        RowOrder::Ordered,
        format!(
            "SELECT {ENTRY}, {USER}, {TYPE} FROM `django_admin_log` INNER JOIN `auth_user` \
             ON (`django_admin_log`.`user_id` = `auth_user`.`id`) \
             LEFT OUTER JOIN `django_content_type` \
             ON (`django_admin_log`.`content_type_id` = `django_content_type`.`id`) \
             WHERE `django_admin_log`.`user_id` = {user} \
             ORDER BY `django_admin_log`.`action_time` DESC LIMIT 10"
        ),
    )?;
    Ok(())
}

fn users(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let user = signed_in(view, dice)?;
    permissions(view, user)?;
    let group = dice.between(1, GROUPS);
    let filter = format!(
        "FROM `auth_user` INNER JOIN `auth_user_groups` \
         ON (`auth_user`.`id` = `auth_user_groups`.`user_id`) \
         WHERE (`auth_user_groups`.`group_id` = {group} AND `auth_user`.`is_active` = 1)"
    );
    view.ask(
        "number filtered",
        RowOrder::Ordered,
        format!("SELECT COUNT(*) AS `__count` {filter}"),
    )?;
    view.ask(
        "number of all",
        RowOrder::Ordered,
        "SELECT COUNT(*) AS `__count` FROM `auth_user`".to_owned(),
    )?;
    view.ask(
        "groups",
        RowOrder::Ordered,
        "SELECT `auth_group`.`id`, `auth_group`.`name` FROM `auth_group` \
         ORDER BY `auth_group`.`name` ASC"
            .to_owned(),
    )?;
    let found = view.ask(
        "list",
        RowOrder::Ordered,
        format!(
            "SELECT DISTINCT {USER} {filter} \
             ORDER BY `auth_user`.`username` ASC, `auth_user`.`id` DESC LIMIT 100"
        ),
    )?;
    let ids: Vec<&str> = found.iter().filter_map(|row| text(row, 0)).collect();
    let ids = if ids.is_empty() { "0".to_owned() } else { ids.join(", ") };
    view.ask(
        "groups of the list",
        RowOrder::AnyOrder,
        format!(
            "SELECT (`auth_user_groups`.`user_id`) AS `_prefetch_related_val_user_id`, \
             `auth_group`.`id`, `auth_group`.`name` FROM `auth_group` \
             INNER JOIN `auth_user_groups` ON (`auth_group`.`id` = `auth_user_groups`.`group_id`) \
             WHERE `auth_user_groups`.`user_id` IN ({ids})"
        ),
    )?;
    let name = WORDS[dice.between(0, WORDS.len() as i64 - 1) as usize];
    view.ask(
        "search",
        RowOrder::Ordered,
        format!(
            "SELECT {USER} FROM `auth_user` WHERE (`auth_user`.`username` LIKE '%{name}%' \
             OR `auth_user`.`first_name` LIKE '%{name}%' OR `auth_user`.`last_name` LIKE \
             '%{name}%' OR `auth_user`.`email` LIKE '%{name}%') \
             ORDER BY `auth_user`.`username` ASC, `auth_user`.`id` DESC LIMIT 100"
        ),
    )?;
    Ok(())
}

fn log(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let user = signed_in(view, dice)?;
    permissions(view, user)?;
    let (app, flag) = (dice.between(0, 7), dice.between(1, 3));
    let filter = format!(
        "`django_content_type`.`app_label` = 'app{app}' \
         AND `django_admin_log`.`action_flag` = {flag}"
    );
    view.ask(
        "number filtered",
        RowOrder::Ordered,
        format!(
            "SELECT COUNT(*) AS `__count` FROM `django_admin_log` \
             INNER JOIN `django_content_type` \
             ON (`django_admin_log`.`content_type_id` = `django_content_type`.`id`) WHERE ({filter})"
        ),
    )?;
    view.ask(
        "number of all",
        RowOrder::Ordered,
        "SELECT COUNT(*) AS `__count` FROM `django_admin_log`".to_owned(),
    )?;
    view.ask(
        "span of times",
        RowOrder::Ordered,
        "SELECT MIN(`django_admin_log`.`action_time`) AS `first`, \
         MAX(`django_admin_log`.`action_time`) AS `last` FROM `django_admin_log`"
            .to_owned(),
    )?;
    view.ask(
        "list",
        RowOrder::Ordered,
        format!(
            "SELECT {ENTRY}, {USER}, {TYPE} FROM `django_admin_log` \
             INNER JOIN `django_content_type` \
             ON (`django_admin_log`.`content_type_id` = `django_content_type`.`id`) \
             INNER JOIN `auth_user` ON (`django_admin_log`.`user_id` = `auth_user`.`id`) \
             WHERE ({filter}) ORDER BY `django_admin_log`.`action_time` DESC, \
             `django_admin_log`.`id` DESC LIMIT 100"
        ),
    )?;
    view.ask(
        "actors",
        RowOrder::AnyOrder,
        "SELECT DISTINCT `auth_user`.`id`, `auth_user`.`username` FROM `auth_user` \
         WHERE `auth_user`.`is_staff` = 1 ORDER BY `auth_user`.`username` ASC"
            .to_owned(),
    )?;
    Ok(())
}

fn who_may(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    signed_in(view, dice)?;
    let (kind, action) =
        (dice.between(1, TYPES), *dice.one_of(&["add", "change", "delete", "view"]));
    let codename = format!("{action}_{}{kind}", WORDS[kind as usize % WORDS.len()]);
    view.ask(
        "users with a permission",
        RowOrder::Ordered,
        format!(
            "SELECT {USER} FROM `auth_user` WHERE ((EXISTS(SELECT 1 AS `a` FROM `auth_permission` \
             U0 LEFT OUTER JOIN `auth_group_permissions` U1 ON (U0.`id` = U1.`permission_id`) \
             LEFT OUTER JOIN `auth_user_groups` U3 ON (U1.`group_id` = U3.`group_id`) \
             LEFT OUTER JOIN `auth_user_user_permissions` U5 ON (U0.`id` = U5.`permission_id`) \
             WHERE ((U3.`user_id` = (`auth_user`.`id`) OR U5.`user_id` = (`auth_user`.`id`)) \
             AND U0.`codename` = '{codename}' AND U0.`content_type_id` = {kind}) LIMIT 1) \
             OR `auth_user`.`is_superuser` = 1) AND `auth_user`.`is_active` = 1) \
             ORDER BY `auth_user`.`id` ASC LIMIT 25"
        ),
    )?;
    view.ask(
        "users without any group",
        RowOrder::Ordered,
        "SELECT COUNT(*) AS `__count` FROM `auth_user` WHERE NOT (EXISTS(SELECT 1 AS `a` FROM \
         `auth_user_groups` U1 WHERE U1.`user_id` = (`auth_user`.`id`) LIMIT 1))"
            .to_owned(),
    )?;
    Ok(())
}

/// The session and its user, whose number is given.
fn signed_in(view: &mut View<'_>, dice: &mut Dice) -> Result<i64> {
    let user = dice.between(4, STAFF);
    view.ask(
        "session",
        RowOrder::Ordered,
        format!(
            "SELECT `django_session`.`session_key`, `django_session`.`session_data`, \
             `django_session`.`expire_date` FROM `django_session` \
             WHERE (`django_session`.`expire_date` > '2021-01-01 00:00:00' \
             AND `django_session`.`session_key` = 'session{user:033}') LIMIT 21"
        ),
    )?;
    view.ask(
        "user",
        RowOrder::Ordered,
        format!("SELECT {USER} FROM `auth_user` WHERE `auth_user`.`id` = {user} LIMIT 21"),
    )?;
    Ok(user)
}

/// What a user may do, by itself and by its groups.
fn permissions(view: &mut View<'_>, user: i64) -> Result<()> {
    const COLUMNS: &str = "`django_content_type`.`app_label`, `auth_permission`.`codename`";
    view.ask(
        "own permissions",
        RowOrder::AnyOrder,
        format!(
            "SELECT {COLUMNS} FROM `auth_permission` INNER JOIN `auth_user_user_permissions` \
             ON (`auth_permission`.`id` = `auth_user_user_permissions`.`permission_id`) \
             INNER JOIN `django_content_type` \
             ON (`auth_permission`.`content_type_id` = `django_content_type`.`id`) \
             WHERE `auth_user_user_permissions`.`user_id` = {user}"
        ),
    )?;
    view.ask(
        "permissions by group",
        RowOrder::AnyOrder,
        format!(
            "SELECT {COLUMNS} FROM `auth_permission` INNER JOIN `auth_group_permissions` \
             ON (`auth_permission`.`id` = `auth_group_permissions`.`permission_id`) \
             INNER JOIN `auth_group` ON (`auth_group_permissions`.`group_id` = `auth_group`.`id`) \
             INNER JOIN `auth_user_groups` ON (`auth_group`.`id` = `auth_user_groups`.`group_id`) \
             INNER JOIN `django_content_type` \
             ON (`auth_permission`.`content_type_id` = `django_content_type`.`id`) \
             WHERE `auth_user_groups`.`user_id` = {user} \
             ORDER BY `django_content_type`.`app_label` ASC, `django_content_type`.`model` ASC, \
             `auth_permission`.`codename` ASC"
        ),
    )?;
    Ok(())
}

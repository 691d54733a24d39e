//! A blog: WordPress's tables, and what it asks for its front page, a post, a category, a search
//! and the administrator's list of posts. The wording is ours, the shapes are WordPress's.

use anyhow::Result;

use super::site::{Site, TableLines, moment};
use super::view::{Page, RowOrder, View, list, text};
use crate::experiments::dice::{Dice, WORDS};

/// The blog.
pub const BLOG: Site = Site {
    name: "blog",
    hello: "SET SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION'",
    tables: TABLES,
    rows,
    pages: &[
        Page { name: "blog: front page", visit: front },
        Page { name: "blog: post", visit: post },
        Page { name: "blog: category", visit: category },
        Page { name: "blog: search", visit: search },
        Page { name: "blog: admin list", visit: admin },
    ],
};

const TABLES: &[&str] = &[
    "CREATE TABLE wp_posts (ID BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     post_author BIGINT UNSIGNED NOT NULL DEFAULT 0, post_date DATETIME NOT NULL, \
     post_date_gmt DATETIME NOT NULL, post_content LONGTEXT NOT NULL, post_title TEXT NOT NULL, \
     post_excerpt TEXT NOT NULL, post_status VARCHAR(20) NOT NULL DEFAULT 'publish', \
     comment_status VARCHAR(20) NOT NULL DEFAULT 'open', post_name VARCHAR(200) NOT NULL, \
     post_modified DATETIME NOT NULL, post_parent BIGINT UNSIGNED NOT NULL DEFAULT 0, \
     guid VARCHAR(255) NOT NULL, menu_order INT NOT NULL DEFAULT 0, \
     post_type VARCHAR(20) NOT NULL DEFAULT 'post', comment_count BIGINT NOT NULL DEFAULT 0, \
     PRIMARY KEY (ID), KEY post_name (post_name(191)), \
     KEY type_status_date (post_type, post_status, post_date, ID), \
     KEY post_parent (post_parent), KEY post_author (post_author)) ENGINE=InnoDB",
    "CREATE TABLE wp_postmeta (meta_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     post_id BIGINT UNSIGNED NOT NULL DEFAULT 0, meta_key VARCHAR(255), meta_value LONGTEXT, \
     PRIMARY KEY (meta_id), KEY post_id (post_id), KEY meta_key (meta_key(191))) ENGINE=InnoDB",
    "CREATE TABLE wp_terms (term_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     name VARCHAR(200) NOT NULL, slug VARCHAR(200) NOT NULL, term_group BIGINT NOT NULL DEFAULT 0, \
     PRIMARY KEY (term_id), KEY slug (slug(191)), KEY name (name(191))) ENGINE=InnoDB",
    "CREATE TABLE wp_term_taxonomy (term_taxonomy_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     term_id BIGINT UNSIGNED NOT NULL DEFAULT 0, taxonomy VARCHAR(32) NOT NULL, \
     description LONGTEXT NOT NULL, parent BIGINT UNSIGNED NOT NULL DEFAULT 0, \
     count BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (term_taxonomy_id), \
     UNIQUE KEY term_id_taxonomy (term_id, taxonomy), KEY taxonomy (taxonomy)) ENGINE=InnoDB",
    "CREATE TABLE wp_term_relationships (object_id BIGINT UNSIGNED NOT NULL DEFAULT 0, \
     term_taxonomy_id BIGINT UNSIGNED NOT NULL DEFAULT 0, term_order INT NOT NULL DEFAULT 0, \
     PRIMARY KEY (object_id, term_taxonomy_id), \
     KEY term_taxonomy_id (term_taxonomy_id)) ENGINE=InnoDB",
    "CREATE TABLE wp_options (option_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     option_name VARCHAR(191) NOT NULL DEFAULT '', option_value LONGTEXT NOT NULL, \
     autoload VARCHAR(20) NOT NULL DEFAULT 'yes', PRIMARY KEY (option_id), \
     UNIQUE KEY option_name (option_name), KEY autoload (autoload)) ENGINE=InnoDB",
    "CREATE TABLE wp_users (ID BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     user_login VARCHAR(60) NOT NULL, user_pass VARCHAR(255) NOT NULL, \
     user_nicename VARCHAR(50) NOT NULL, user_email VARCHAR(100) NOT NULL, \
     user_registered DATETIME NOT NULL, display_name VARCHAR(250) NOT NULL, PRIMARY KEY (ID), \
     KEY user_login_key (user_login), KEY user_nicename (user_nicename)) ENGINE=InnoDB",
    "CREATE TABLE wp_usermeta (umeta_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     user_id BIGINT UNSIGNED NOT NULL DEFAULT 0, meta_key VARCHAR(255), meta_value LONGTEXT, \
     PRIMARY KEY (umeta_id), KEY user_id (user_id), KEY meta_key (meta_key(191))) ENGINE=InnoDB",
    "CREATE TABLE wp_comments (comment_ID BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     comment_post_ID BIGINT UNSIGNED NOT NULL DEFAULT 0, comment_author TINYTEXT NOT NULL, \
     comment_author_email VARCHAR(100) NOT NULL, comment_date DATETIME NOT NULL, \
     comment_date_gmt DATETIME NOT NULL, comment_content TEXT NOT NULL, \
     comment_approved VARCHAR(20) NOT NULL DEFAULT '1', comment_parent BIGINT UNSIGNED NOT NULL \
     DEFAULT 0, user_id BIGINT UNSIGNED NOT NULL DEFAULT 0, PRIMARY KEY (comment_ID), \
     KEY comment_post_ID (comment_post_ID), \
     KEY comment_approved_date_gmt (comment_approved, comment_date_gmt), \
     KEY comment_date_gmt (comment_date_gmt), KEY comment_parent (comment_parent)) ENGINE=InnoDB",
];

/// Posts of the usual size, and minutes between them.
const POSTS: i64 = 4_000;
const MINUTES_BETWEEN: i64 = 700;
const CATEGORIES: i64 = 20;
const TAGS: i64 = 200;
const USERS: i64 = 200;
const OPTIONS: i64 = 400;
const PAGES: i64 = 15;

fn rows(seed: u64, size: i64) -> Vec<TableLines> {
    let mut dice = Dice::new(seed, &[1]);
    let (posts, terms) = ((POSTS * size / 100).max(60), CATEGORIES + TAGS);
    let mut of = [const { Vec::new() }; 9];
    let [post, meta, term, taxonomy, relation, option, user, usermeta, comment] = &mut of;
    let mut counts = vec![0; terms as usize + 1];
    for id in 1..=posts + PAGES {
        let is_page = id > posts;
        let kind = if is_page {
            "page"
        } else if dice.percent(10) {
            "revision"
        } else if dice.percent(15) {
            "attachment"
        } else {
            "post"
        };
        let status = match kind {
            "revision" | "attachment" => "inherit",
            "page" => "publish",
            _ => *dice.one_of(&[
                "publish", "publish", "publish", "publish", "publish", "publish", "publish",
                "publish", "draft", "private",
            ]),
        };
        let (title_words, content_words) = (dice.between(3, 8), dice.between(80, 400));
        let (title, content) = (dice.words(title_words), dice.words(content_words));
        let (author, at) = (dice.between(1, USERS / 10), moment(id * MINUTES_BETWEEN));
        let parent = if kind == "revision" { dice.between(1, id) } else { 0 };
        let excerpt = if dice.percent(20) { dice.words(20) } else { String::new() };
        let name = format!("{}-{id}", title.replace(' ', "-"));
        let order = if is_page { id - posts } else { 0 };
        let comments = if kind == "post" && status == "publish" { dice.between(0, 10) } else { 0 };
        post.push(format!(
            "{id}\t{author}\t{at}\t{at}\t{content}\t{title}\t{excerpt}\t{status}\topen\t{name}\t\
             {at}\t{parent}\thttps://blog.example/?p={id}\t{order}\t{kind}\t{comments}"
        ));
        for _ in 0..comments {
            let number = comment.len() as i64 + 1;
            let at = moment(id * MINUTES_BETWEEN + 1 + number % MINUTES_BETWEEN);
            let approved = dice.one_of(&["1", "1", "1", "1", "1", "1", "1", "0", "spam"]);
            let (who, said) = (dice.between(1, 500), dice.between(5, 60));
            let said = dice.words(said);
            comment.push(format!(
                "{number}\t{id}\tguest {who}\tguest{who}@example.com\t{at}\t{at}\t{said}\t\
                 {approved}\t0\t0"
            ));
        }
        for key in ["_edit_last", "_edit_lock", "_thumbnail_id", "views", "_template"] {
            if dice.percent(60) {
                let (number, value) = (meta.len() + 1, dice.between(1, 1_000_000));
                meta.push(format!("{number}\t{id}\t{key}\t{value}"));
            }
        }
        if kind == "post" {
            let mut chosen = vec![dice.between(1, CATEGORIES)];
            for _ in 0..dice.between(0, 5) {
                chosen.push(CATEGORIES + dice.between(1, TAGS));
            }
            chosen.sort_unstable();
            chosen.dedup();
            for number in chosen {
                counts[number as usize] += i64::from(status == "publish");
                relation.push(format!("{id}\t{number}\t0"));
            }
        }
    }
    for id in 1..=terms {
        let kind = if id <= CATEGORIES { "category" } else { "post_tag" };
        let name = format!("{} {}", WORDS[id as usize % WORDS.len()], id / WORDS.len() as i64);
        term.push(format!("{id}\t{name}\t{}\t0", slug(id)));
        taxonomy.push(format!("{id}\t{id}\t{kind}\t\t0\t{}", counts[id as usize]));
    }
    for id in 1..=OPTIONS {
        let autoload = if dice.percent(60) { "yes" } else { "no" };
        let words = dice.between(1, 60);
        let value = dice.words(words);
        option.push(format!("{id}\toption_{id}\t{value}\t{autoload}"));
    }
    for id in 1..=USERS {
        let pass = dice.letters(60, 60);
        user.push(format!(
            "{id}\tuser{id}\t{pass}\tuser{id}\tuser{id}@example.com\t{}\tUser {id}",
            moment(id * 1_000)
        ));
        let level = if id <= USERS / 10 { 7 } else { 0 };
        for (key, value) in [
            ("nickname", format!("user{id}")),
            ("wp_user_level", level.to_string()),
            ("wp_capabilities", dice.letters(30, 40)),
            ("session_tokens", dice.letters(100, 200)),
            ("description", dice.words(10)),
        ] {
            usermeta.push(format!("{}\t{id}\t{key}\t{value}", usermeta.len() + 1));
        }
    }
    let names = [
        "wp_posts",
        "wp_postmeta",
        "wp_terms",
        "wp_term_taxonomy",
        "wp_term_relationships",
        "wp_options",
        "wp_users",
        "wp_usermeta",
        "wp_comments",
    ];
    names.into_iter().zip(of).map(|(table, lines)| TableLines { table, lines }).collect()
}

fn slug(term: i64) -> String {
    format!("{}-{term}", WORDS[term as usize % WORDS.len()])
}

const SHOWN: &str = "wp_posts.post_type = 'post' AND (wp_posts.post_status = 'publish')";

fn front(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    options(view, dice)?;
    let page = dice.between(0, 3) * 10;
    let found = view.ask(
        "posts",
        RowOrder::Ordered,
        format!(
            "SELECT SQL_CALC_FOUND_ROWS wp_posts.ID FROM wp_posts WHERE 1=1 AND (({SHOWN})) \
             ORDER BY wp_posts.post_date DESC LIMIT {page}, 10"
        ),
    )?;
    view.ask("found rows", RowOrder::Ordered, "SELECT FOUND_ROWS()".to_owned())?;
    posts(view, &list(&found, 0))?;
    sidebar(view)
}

fn post(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    options(view, dice)?;
    // A visitor follows a link: the name of some post is looked up without being counted.
    let id = dice.between(1, 50);
    let linked = view.ask(
        "link",
        RowOrder::Ordered,
        format!(
            "SELECT post_name FROM wp_posts WHERE ID >= {id} AND post_type = 'post' \
             AND post_status = 'publish' ORDER BY ID LIMIT 1"
        ),
    )?;
    let name = linked.first().and_then(|row| text(row, 0)).unwrap_or_default();
    let found = view.ask(
        "post",
        RowOrder::Ordered,
        format!(
            "SELECT wp_posts.* FROM wp_posts WHERE 1=1 AND wp_posts.post_name = '{name}' \
             AND wp_posts.post_type = 'post' ORDER BY wp_posts.post_date DESC"
        ),
    )?;
    let (id, at) = match found.first() {
        Some(row) => (text(row, 0).unwrap_or("0"), text(row, 2).unwrap_or_default()),
        None => ("0", ""),
    };
    details(view, id)?;
    view.ask(
        "comments",
        RowOrder::Ordered,
        format!(
            "SELECT wp_comments.comment_ID FROM wp_comments \
             WHERE ((comment_approved = '1')) AND comment_post_ID = {id} AND comment_parent = 0 \
             ORDER BY wp_comments.comment_date_gmt ASC, wp_comments.comment_ID ASC"
        ),
    )?;
    view.ask(
        "number of comments",
        RowOrder::Ordered,
        format!(
            "SELECT COUNT(*) FROM wp_comments WHERE comment_approved = '1' \
             AND comment_post_ID = {id}"
        ),
    )?;
    for (name, sign, order) in [("previous", "<", "DESC"), ("next", ">", "ASC")] {
        view.ask(
            name,
            RowOrder::Ordered,
            format!(
                "SELECT p.ID FROM wp_posts AS p WHERE p.post_date {sign} '{at}' \
                 AND p.post_type = 'post' AND (p.post_status = 'publish' \
                 OR p.post_status = 'private') ORDER BY p.post_date {order} LIMIT 1"
            ),
        )?;
    }
    view.ask(
        "related",
        RowOrder::Ordered,
        format!(
            "SELECT p.ID, p.post_title, COUNT(*) AS shared FROM wp_term_relationships AS mine \
             INNER JOIN wp_term_relationships AS theirs \
             ON theirs.term_taxonomy_id = mine.term_taxonomy_id \
             AND theirs.object_id <> mine.object_id \
             INNER JOIN wp_posts AS p ON p.ID = theirs.object_id AND p.post_status = 'publish' \
             WHERE mine.object_id = {id} GROUP BY p.ID, p.post_title \
             ORDER BY shared DESC, p.ID DESC LIMIT 5"
        ),
    )?;
    sidebar(view)
}

fn category(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    options(view, dice)?;
    let slug = slug(dice.between(1, CATEGORIES));
    let terms = view.ask(
        "category",
        RowOrder::Ordered,
        format!(
            "SELECT t.*, tt.* FROM wp_terms AS t INNER JOIN wp_term_taxonomy AS tt \
             ON t.term_id = tt.term_id WHERE tt.taxonomy IN ('category') AND t.slug IN ('{slug}') \
             LIMIT 1"
        ),
    )?;
    let (id, page) = (list(&terms, 4), dice.between(0, 2) * 10);
    let found = view.ask(
        "posts",
        RowOrder::Ordered,
        format!(
            "SELECT SQL_CALC_FOUND_ROWS wp_posts.ID FROM wp_posts LEFT JOIN wp_term_relationships \
             ON (wp_posts.ID = wp_term_relationships.object_id) WHERE 1=1 \
             AND (wp_term_relationships.term_taxonomy_id IN ({id})) AND (({SHOWN})) \
             GROUP BY wp_posts.ID ORDER BY wp_posts.post_date DESC LIMIT {page}, 10"
        ),
    )?;
    view.ask("found rows", RowOrder::Ordered, "SELECT FOUND_ROWS()".to_owned())?;
    posts(view, &list(&found, 0))?;
    sidebar(view)
}

fn search(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    options(view, dice)?;
    let like = format!("LIKE '%{}%'", dice.words(2));
    let found = view.ask(
        "posts",
        RowOrder::Ordered,
        format!(
            "SELECT SQL_CALC_FOUND_ROWS wp_posts.ID FROM wp_posts WHERE 1=1 \
             AND (((wp_posts.post_title {like}) OR (wp_posts.post_excerpt {like}) \
             OR (wp_posts.post_content {like}))) AND ((wp_posts.post_type = 'page' \
             AND (wp_posts.post_status = 'publish')) OR ({SHOWN})) \
             ORDER BY wp_posts.post_title {like} DESC, wp_posts.post_date DESC LIMIT 0, 10"
        ),
    )?;
    view.ask("found rows", RowOrder::Ordered, "SELECT FOUND_ROWS()".to_owned())?;
    posts(view, &list(&found, 0))?;
    sidebar(view)
}

fn admin(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    options(view, dice)?;
    let user = dice.between(1, USERS / 10);
    view.ask(
        "user",
        RowOrder::Ordered,
        format!("SELECT * FROM wp_users WHERE ID = {user} LIMIT 1"),
    )?;
    view.ask(
        "user meta",
        RowOrder::Ordered,
        format!(
            "SELECT user_id, meta_key, meta_value FROM wp_usermeta WHERE user_id IN ({user}) \
             ORDER BY umeta_id ASC"
        ),
    )?;
    view.ask(
        "number by status",
        RowOrder::AnyOrder,
        "SELECT post_status, COUNT( * ) AS num_posts FROM wp_posts WHERE post_type = 'post' \
         GROUP BY post_status"
            .to_owned(),
    )?;
    view.ask(
        "number of mine",
        RowOrder::Ordered,
        format!(
            "SELECT COUNT( 1 ) FROM wp_posts WHERE post_type = 'post' \
             AND post_status NOT IN ('trash', 'auto-draft') AND post_author = {user}"
        ),
    )?;
    let page = dice.between(0, 5) * 20;
    let found = view.ask(
        "posts",
        RowOrder::Ordered,
        format!(
            "SELECT SQL_CALC_FOUND_ROWS wp_posts.* FROM wp_posts WHERE 1=1 \
             AND wp_posts.post_type = 'post' AND ((wp_posts.post_status = 'publish' \
             OR wp_posts.post_status = 'future' OR wp_posts.post_status = 'draft' \
             OR wp_posts.post_status = 'pending' OR wp_posts.post_status = 'private')) \
             ORDER BY wp_posts.post_date DESC LIMIT {page}, 20"
        ),
    )?;
    view.ask("found rows", RowOrder::Ordered, "SELECT FOUND_ROWS()".to_owned())?;
    let ids = list(&found, 0);
    details(view, &ids)?;
    view.ask(
        "comments that wait",
        RowOrder::AnyOrder,
        format!(
            "SELECT comment_post_ID, COUNT(comment_ID) AS num_comments FROM wp_comments \
             WHERE comment_post_ID IN ({ids}) AND comment_approved = '0' GROUP BY comment_post_ID"
        ),
    )?;
    view.ask(
        "comments by state",
        RowOrder::AnyOrder,
        "SELECT comment_approved, COUNT( * ) AS total FROM wp_comments GROUP BY comment_approved"
            .to_owned(),
    )?;
    view.ask(
        "months",
        RowOrder::Ordered,
        "SELECT DISTINCT YEAR( post_date ) AS year, MONTH( post_date ) AS month FROM wp_posts \
         WHERE post_type = 'post' AND post_status != 'auto-draft' AND post_status != 'trash' \
         ORDER BY year DESC, month DESC"
            .to_owned(),
    )?;
    view.ask(
        "authors",
        RowOrder::Ordered,
        "SELECT wp_users.ID, wp_users.display_name FROM wp_users INNER JOIN wp_usermeta \
         ON (wp_users.ID = wp_usermeta.user_id) WHERE 1=1 AND ((wp_usermeta.meta_key = \
         'wp_user_level' AND wp_usermeta.meta_value != '0')) ORDER BY display_name ASC"
            .to_owned(),
    )?;
    Ok(())
}

/// What every page begins with.
fn options(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    view.ask(
        "options",
        RowOrder::AnyOrder,
        "SELECT option_name, option_value FROM wp_options \
         WHERE autoload IN ('yes', 'on', 'auto-on', 'auto')"
            .to_owned(),
    )?;
    let option = dice.between(1, OPTIONS);
    view.ask(
        "option",
        RowOrder::Ordered,
        format!(
            "SELECT option_value FROM wp_options WHERE option_name = 'option_{option}' LIMIT 1"
        ),
    )?;
    Ok(())
}

/// The posts of a list with everything that is shown of them.
fn posts(view: &mut View<'_>, ids: &str) -> Result<()> {
    let posts = view.ask(
        "whole posts",
        RowOrder::AnyOrder,
        format!("SELECT wp_posts.* FROM wp_posts WHERE ID IN ({ids})"),
    )?;
    details(view, ids)?;
    let mut authors: Vec<&str> = posts.iter().filter_map(|row| text(row, 1)).collect();
    authors.sort_unstable();
    authors.dedup();
    let authors = if authors.is_empty() { "0".to_owned() } else { authors.join(",") };
    view.ask(
        "authors",
        RowOrder::AnyOrder,
        format!("SELECT * FROM wp_users WHERE ID IN ({authors})"),
    )?;
    view.ask(
        "authors' meta",
        RowOrder::Ordered,
        format!(
            "SELECT user_id, meta_key, meta_value FROM wp_usermeta WHERE user_id IN ({authors}) \
             ORDER BY umeta_id ASC"
        ),
    )?;
    Ok(())
}

/// Terms and meta data of posts.
fn details(view: &mut View<'_>, ids: &str) -> Result<()> {
    let terms = view.ask(
        "terms of posts",
        RowOrder::AnyOrder,
        format!(
            "SELECT DISTINCT t.term_id, tr.object_id FROM wp_terms AS t \
             INNER JOIN wp_term_taxonomy AS tt ON t.term_id = tt.term_id \
             INNER JOIN wp_term_relationships AS tr ON tr.term_taxonomy_id = tt.term_taxonomy_id \
             WHERE tt.taxonomy IN ('category', 'post_tag', 'post_format') \
             AND tr.object_id IN ({ids}) ORDER BY t.name ASC"
        ),
    )?;
    let mut terms: Vec<i64> = terms.iter().filter_map(|row| text(row, 0)?.parse().ok()).collect();
    terms.sort_unstable();
    terms.dedup();
    let terms: Vec<String> = terms.iter().map(i64::to_string).collect();
    let terms = if terms.is_empty() { "0".to_owned() } else { terms.join(",") };
    view.ask(
        "whole terms",
        RowOrder::AnyOrder,
        format!(
            "SELECT t.*, tt.* FROM wp_terms AS t INNER JOIN wp_term_taxonomy AS tt \
             ON t.term_id = tt.term_id WHERE t.term_id IN ({terms})"
        ),
    )?;
    view.ask(
        "meta",
        RowOrder::Ordered,
        format!(
            "SELECT post_id, meta_key, meta_value FROM wp_postmeta WHERE post_id IN ({ids}) \
             ORDER BY meta_id ASC"
        ),
    )?;
    Ok(())
}

/// What stands beside every page.
fn sidebar(view: &mut View<'_>) -> Result<()> {
    view.ask(
        "recent posts",
        RowOrder::Ordered,
        format!(
            "SELECT wp_posts.ID FROM wp_posts WHERE 1=1 AND (({SHOWN})) \
             ORDER BY wp_posts.post_date DESC LIMIT 0, 5"
        ),
    )?;
    view.ask(
        "recent comments",
        RowOrder::Ordered,
        "SELECT wp_comments.comment_ID FROM wp_comments JOIN wp_posts \
         ON wp_posts.ID = wp_comments.comment_post_ID WHERE ((comment_approved = '1')) \
         AND wp_posts.post_status IN ('publish') \
         ORDER BY wp_comments.comment_date_gmt DESC, wp_comments.comment_ID DESC LIMIT 0, 5"
            .to_owned(),
    )?;
    view.ask(
        "archives",
        RowOrder::Ordered,
        "SELECT YEAR(post_date) AS `year`, MONTH(post_date) AS `month`, COUNT(ID) AS posts \
         FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' \
         GROUP BY YEAR(post_date), MONTH(post_date) ORDER BY post_date DESC"
            .to_owned(),
    )?;
    view.ask(
        "categories",
        RowOrder::Ordered,
        "SELECT t.*, tt.* FROM wp_terms AS t INNER JOIN wp_term_taxonomy AS tt \
         ON t.term_id = tt.term_id WHERE tt.taxonomy IN ('category') AND tt.count > 0 \
         ORDER BY t.name ASC"
            .to_owned(),
    )?;
    view.ask(
        "menu",
        RowOrder::Ordered,
        "SELECT * FROM wp_posts WHERE post_type = 'page' AND post_status = 'publish' \
         ORDER BY menu_order ASC, post_title ASC"
            .to_owned(),
    )?;
    Ok(())
}

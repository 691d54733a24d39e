//! A shop: Magento's catalogue, where a product's values stand in a table for each type (entity,
//! attribute, value), and what it asks for a category with filters, a product and a search. The
//! wording is ours, the shapes are Magento's.

use anyhow::Result;

use super::site::{Site, TableLines, moment};
use super::view::{Page, RowOrder, View, list, text};
use crate::experiments::dice::{Dice, WORDS};

/// The shop.
pub const SHOP: Site = Site {
    name: "shop",
    hello: "SET NAMES utf8mb4",
    tables: TABLES,
    rows,
    pages: &[
        Page { name: "shop: category", visit: category },
        Page { name: "shop: product", visit: product },
        Page { name: "shop: search", visit: search },
    ],
};

const TABLES: &[&str] = &[
    "CREATE TABLE eav_attribute (attribute_id SMALLINT UNSIGNED NOT NULL AUTO_INCREMENT, \
     entity_type_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, attribute_code VARCHAR(255) NOT NULL, \
     backend_type VARCHAR(8) NOT NULL DEFAULT 'static', frontend_label VARCHAR(255), \
     PRIMARY KEY (attribute_id), UNIQUE KEY by_code (entity_type_id, attribute_code)) \
     ENGINE=InnoDB",
    "CREATE TABLE eav_attribute_option (option_id INT UNSIGNED NOT NULL AUTO_INCREMENT, \
     attribute_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, sort_order SMALLINT UNSIGNED NOT NULL, \
     PRIMARY KEY (option_id), KEY by_attribute (attribute_id)) ENGINE=InnoDB",
    "CREATE TABLE eav_attribute_option_value (value_id INT UNSIGNED NOT NULL AUTO_INCREMENT, \
     option_id INT UNSIGNED NOT NULL DEFAULT 0, store_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, \
     value VARCHAR(255), PRIMARY KEY (value_id), KEY by_option (option_id), \
     KEY by_store (store_id)) ENGINE=InnoDB",
    "CREATE TABLE catalog_product_entity (entity_id INT UNSIGNED NOT NULL AUTO_INCREMENT, \
     attribute_set_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, \
     type_id VARCHAR(32) NOT NULL DEFAULT 'simple', sku VARCHAR(64) NOT NULL, \
     has_options SMALLINT NOT NULL DEFAULT 0, created_at TIMESTAMP NOT NULL DEFAULT \
     CURRENT_TIMESTAMP, updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, \
     PRIMARY KEY (entity_id), KEY by_set (attribute_set_id), KEY by_sku (sku)) ENGINE=InnoDB",
    "CREATE TABLE catalog_product_entity_varchar (value_id INT NOT NULL AUTO_INCREMENT, \
     attribute_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, \
     store_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, entity_id INT UNSIGNED NOT NULL DEFAULT 0, \
     value VARCHAR(255), PRIMARY KEY (value_id), \
     UNIQUE KEY by_entity (entity_id, attribute_id, store_id), KEY by_attribute (attribute_id), \
     KEY by_store (store_id)) ENGINE=InnoDB",
    "CREATE TABLE catalog_product_entity_int (value_id INT NOT NULL AUTO_INCREMENT, \
     attribute_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, \
     store_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, entity_id INT UNSIGNED NOT NULL DEFAULT 0, \
     value INT, PRIMARY KEY (value_id), \
     UNIQUE KEY by_entity (entity_id, attribute_id, store_id), KEY by_attribute (attribute_id), \
     KEY by_store (store_id)) ENGINE=InnoDB",
    "CREATE TABLE catalog_product_entity_decimal (value_id INT NOT NULL AUTO_INCREMENT, \
     attribute_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, \
     store_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, entity_id INT UNSIGNED NOT NULL DEFAULT 0, \
     value DECIMAL(20,6), PRIMARY KEY (value_id), \
     UNIQUE KEY by_entity (entity_id, attribute_id, store_id), KEY by_attribute (attribute_id), \
     KEY by_store (store_id)) ENGINE=InnoDB",
    "CREATE TABLE catalog_category_product_index (category_id INT UNSIGNED NOT NULL DEFAULT 0, \
     product_id INT UNSIGNED NOT NULL DEFAULT 0, position INT, \
     is_parent SMALLINT UNSIGNED NOT NULL DEFAULT 0, store_id SMALLINT UNSIGNED NOT NULL, \
     visibility SMALLINT UNSIGNED NOT NULL, PRIMARY KEY (category_id, product_id, store_id), \
     KEY by_product (product_id, store_id, category_id, visibility), \
     KEY by_position (store_id, category_id, visibility, is_parent, position)) ENGINE=InnoDB",
    "CREATE TABLE catalog_product_index_price (entity_id INT UNSIGNED NOT NULL, \
     customer_group_id INT UNSIGNED NOT NULL, website_id SMALLINT UNSIGNED NOT NULL, \
     tax_class_id SMALLINT UNSIGNED DEFAULT 0, price DECIMAL(20,6), final_price DECIMAL(20,6), \
     min_price DECIMAL(20,6), max_price DECIMAL(20,6), tier_price DECIMAL(20,6), \
     PRIMARY KEY (entity_id, customer_group_id, website_id), \
     KEY by_min (website_id, customer_group_id, min_price)) ENGINE=InnoDB",
    "CREATE TABLE catalog_product_index_eav (entity_id INT UNSIGNED NOT NULL, \
     attribute_id SMALLINT UNSIGNED NOT NULL, store_id SMALLINT UNSIGNED NOT NULL, \
     value INT UNSIGNED NOT NULL, source_id INT UNSIGNED NOT NULL DEFAULT 0, \
     PRIMARY KEY (entity_id, attribute_id, store_id, value, source_id), \
     KEY by_attribute (attribute_id), KEY by_value (value)) ENGINE=InnoDB",
    "CREATE TABLE cataloginventory_stock_item (item_id INT UNSIGNED NOT NULL AUTO_INCREMENT, \
     product_id INT UNSIGNED NOT NULL DEFAULT 0, stock_id SMALLINT UNSIGNED NOT NULL DEFAULT 0, \
     qty DECIMAL(12,4), min_qty DECIMAL(12,4) NOT NULL DEFAULT 0, \
     is_in_stock SMALLINT UNSIGNED NOT NULL DEFAULT 0, PRIMARY KEY (item_id), \
     UNIQUE KEY by_product (product_id, stock_id)) ENGINE=InnoDB",
];

const PRODUCTS: i64 = 5_000;
const CATEGORIES: i64 = 60;
/// Text attributes, whole numbers (among them the filters), and amounts.
const VARCHARS: std::ops::RangeInclusive<i64> = 71..=78;
const INTS: std::ops::RangeInclusive<i64> = 91..=96;
const DECIMALS: std::ops::RangeInclusive<i64> = 101..=103;
const NAME: i64 = 71;
/// Attributes that a category is filtered by: colour, size and maker.
const FILTERS: std::ops::RangeInclusive<i64> = 93..=95;
const OPTIONS: i64 = 12;

fn rows(seed: u64, size: i64) -> Vec<TableLines> {
    let mut dice = Dice::new(seed, &[2]);
    let products = (PRODUCTS * size / 100).max(100);
    let mut of = [const { Vec::new() }; 11];
    let [attribute, option, value, entity, varchar, int, decimal, category, price, filter, stock] =
        &mut of;
    for (range, kind) in [(VARCHARS, "varchar"), (INTS, "int"), (DECIMALS, "decimal")] {
        for id in range {
            attribute.push(format!("{id}\t4\tattribute_{id}\t{kind}\tAttribute {id}"));
        }
    }
    for id in FILTERS {
        for number in 1..=OPTIONS {
            let option_id = id * 100 + number;
            option.push(format!("{option_id}\t{id}\t{number}"));
            let word = WORDS[(option_id % WORDS.len() as i64) as usize];
            value.push(format!("{}\t{option_id}\t0\t{word} {number}", value.len() + 1));
            if dice.percent(30) {
                value.push(format!("{}\t{option_id}\t1\t{word} local", value.len() + 1));
            }
        }
    }
    for id in 1..=products {
        let (set, at) = (dice.between(4, 9), moment(id));
        let kind = dice.one_of(&["simple", "simple", "simple", "configurable"]);
        entity.push(format!("{id}\t{set}\t{kind}\tSKU-{id:06}\t0\t{at}\t{at}"));
        for attribute in VARCHARS {
            let words = dice.between(2, 6);
            let text = dice.words(words);
            varchar.push(format!("{}\t{attribute}\t0\t{id}\t{text}", varchar.len() + 1));
            if dice.percent(10) {
                varchar.push(format!("{}\t{attribute}\t1\t{id}\t{text} 1", varchar.len() + 1));
            }
        }
        for attribute in INTS {
            let chosen = if FILTERS.contains(&attribute) {
                attribute * 100 + dice.between(1, OPTIONS)
            } else {
                dice.between(0, 4)
            };
            int.push(format!("{}\t{attribute}\t0\t{id}\t{chosen}", int.len() + 1));
            if FILTERS.contains(&attribute) {
                filter.push(format!("{id}\t{attribute}\t1\t{chosen}\t{id}"));
            }
        }
        let cents = dice.between(100, 20_000);
        for attribute in DECIMALS {
            let amount = cents + attribute;
            decimal.push(format!(
                "{}\t{attribute}\t0\t{id}\t{}.{:02}",
                decimal.len() + 1,
                amount / 100,
                amount % 100
            ));
        }
        for group in 0..=3 {
            let amount = format!("{}.{:02}", cents / 100, cents % 100);
            let tier = if dice.percent(20) { "1.00" } else { "\\N" };
            price.push(format!(
                "{id}\t{group}\t1\t2\t{amount}\t{amount}\t{amount}\t{amount}\t{tier}"
            ));
        }
        let mut categories = vec![dice.between(1, CATEGORIES), dice.between(1, CATEGORIES)];
        categories.sort_unstable();
        categories.dedup();
        for number in categories {
            let (position, visibility) = (dice.between(0, 500), *dice.one_of(&[4, 4, 4, 2, 3]));
            category.push(format!("{number}\t{id}\t{position}\t1\t1\t{visibility}"));
        }
        let there = i64::from(dice.percent(90));
        let quantity = dice.between(0, 500) * there;
        stock.push(format!("{id}\t{id}\t1\t{quantity}\t0\t{there}"));
    }
    let names = [
        "eav_attribute",
        "eav_attribute_option",
        "eav_attribute_option_value",
        "catalog_product_entity",
        "catalog_product_entity_varchar",
        "catalog_product_entity_int",
        "catalog_product_entity_decimal",
        "catalog_category_product_index",
        "catalog_product_index_price",
        "catalog_product_index_eav",
        "cataloginventory_stock_item",
    ];
    names.into_iter().zip(of).map(|(table, lines)| TableLines { table, lines }).collect()
}

/// The products of a category that a visitor may see, with their price.
fn in_category(category: i64) -> String {
    format!(
        "FROM catalog_product_entity AS e INNER JOIN catalog_category_product_index AS cat_index \
         ON cat_index.product_id = e.entity_id AND cat_index.store_id = 1 \
         AND cat_index.visibility IN (2, 4) AND cat_index.category_id = {category} \
         INNER JOIN catalog_product_index_price AS price_index \
         ON price_index.entity_id = e.entity_id AND price_index.website_id = 1 \
         AND price_index.customer_group_id = 0"
    )
}

const LISTED: &str = "e.*, price_index.price, price_index.tax_class_id, price_index.final_price, \
     IF(price_index.tier_price IS NOT NULL, LEAST(price_index.min_price, price_index.tier_price), \
     price_index.min_price) AS minimal_price, price_index.min_price, price_index.max_price, \
     price_index.tier_price";

fn category(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    attributes(view)?;
    let from = in_category(dice.between(1, CATEGORIES));
    view.ask(
        "number of products",
        RowOrder::Ordered,
        format!("SELECT COUNT(DISTINCT e.entity_id) {from}"),
    )?;
    let found = view.ask(
        "products",
        RowOrder::Ordered,
        format!(
            "SELECT {LISTED}, cat_index.position AS cat_index_position {from} \
             ORDER BY cat_index.position ASC, e.entity_id DESC LIMIT 12"
        ),
    )?;
    values(view, &list(&found, 0))?;
    for (name, label, attribute) in [
        ("count by colour", "colours", 93),
        ("count by size", "sizes", 94),
        ("count by maker", "makers", 95),
    ] {
        view.ask(
            name,
            RowOrder::AnyOrder,
            format!(
                "SELECT filter_index.value, COUNT(filter_index.entity_id) AS count {from} \
                 INNER JOIN catalog_product_index_eav AS filter_index \
                 ON filter_index.entity_id = e.entity_id AND filter_index.attribute_id = \
                 {attribute} AND filter_index.store_id = 1 GROUP BY filter_index.value"
            ),
        )?;
        view.ask(
            label,
            RowOrder::Ordered,
            format!(
                "SELECT main_table.option_id, IF(tsv.value_id > 0, tsv.value, tdv.value) AS value \
                 FROM eav_attribute_option AS main_table \
                 INNER JOIN eav_attribute_option_value AS tdv \
                 ON tdv.option_id = main_table.option_id \
                 LEFT JOIN eav_attribute_option_value AS tsv \
                 ON tsv.option_id = main_table.option_id AND tsv.store_id = 1 \
                 WHERE main_table.attribute_id = {attribute} AND tdv.store_id = 0 \
                 ORDER BY main_table.sort_order ASC, value ASC"
            ),
        )?;
    }
    view.ask(
        "count by price",
        RowOrder::Ordered,
        format!(
            "SELECT FLOOR(price_index.min_price / 10) + 1 AS price_range, COUNT(*) AS count \
             {from} GROUP BY FLOOR(price_index.min_price / 10) + 1 ORDER BY price_range ASC"
        ),
    )?;
    view.ask(
        "span of prices",
        RowOrder::Ordered,
        format!("SELECT MIN(price_index.min_price), MAX(price_index.min_price) {from}"),
    )?;
    Ok(())
}

fn product(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    attributes(view)?;
    let sku = dice.between(1, 100);
    let found = view.ask(
        "by article number",
        RowOrder::Ordered,
        format!("SELECT e.* FROM catalog_product_entity AS e WHERE e.sku = 'SKU-{sku:06}' LIMIT 1"),
    )?;
    let id = list(&found, 0);
    values(view, &id)?;
    view.ask(
        "price",
        RowOrder::Ordered,
        format!(
            "SELECT price, final_price, min_price, max_price, tier_price \
             FROM catalog_product_index_price WHERE entity_id = {id} AND website_id = 1 \
             AND customer_group_id = 0"
        ),
    )?;
    view.ask(
        "categories",
        RowOrder::AnyOrder,
        format!(
            "SELECT DISTINCT category_id FROM catalog_category_product_index \
             WHERE product_id = {id} AND store_id = 1"
        ),
    )?;
    view.ask(
        "others of these categories",
        RowOrder::Ordered,
        format!(
            "SELECT theirs.product_id, COUNT(*) AS shared FROM catalog_category_product_index AS \
             mine INNER JOIN catalog_category_product_index AS theirs \
             ON theirs.category_id = mine.category_id AND theirs.store_id = mine.store_id \
             AND theirs.product_id <> mine.product_id \
             INNER JOIN cataloginventory_stock_item AS stock \
             ON stock.product_id = theirs.product_id AND stock.is_in_stock = 1 \
             WHERE mine.product_id = {id} AND mine.store_id = 1 \
             GROUP BY theirs.product_id ORDER BY shared DESC, theirs.product_id ASC LIMIT 6"
        ),
    )?;
    Ok(())
}

fn search(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    attributes(view)?;
    let words = dice.words(2);
    let found = view.ask(
        "matches",
        RowOrder::Ordered,
        format!(
            "SELECT DISTINCT e.entity_id FROM catalog_product_entity AS e \
             INNER JOIN catalog_product_entity_varchar AS name \
             ON name.entity_id = e.entity_id AND name.attribute_id = {NAME} \
             AND name.store_id IN (0, 1) WHERE name.value LIKE '%{words}%' \
             ORDER BY e.entity_id LIMIT 200"
        ),
    )?;
    let ids = list(&found, 0);
    let found = view.ask(
        "products",
        RowOrder::Ordered,
        format!(
            "SELECT {LISTED} FROM catalog_product_entity AS e \
             INNER JOIN catalog_product_index_price AS price_index \
             ON price_index.entity_id = e.entity_id AND price_index.website_id = 1 \
             AND price_index.customer_group_id = 0 WHERE e.entity_id IN ({ids}) \
             ORDER BY price_index.min_price ASC, e.entity_id ASC LIMIT 12"
        ),
    )?;
    values(view, &list(&found, 0))?;
    Ok(())
}

fn attributes(view: &mut View<'_>) -> Result<()> {
    view.ask(
        "attributes",
        RowOrder::AnyOrder,
        "SELECT attribute_id, attribute_code, backend_type, frontend_label FROM eav_attribute \
         WHERE entity_type_id = 4"
            .to_owned(),
    )?;
    Ok(())
}

/// Values of products, the store's own before the general ones, and their stock.
fn values(view: &mut View<'_>, ids: &str) -> Result<()> {
    let of = |table: &str, attributes: std::ops::RangeInclusive<i64>| {
        let attributes: Vec<String> = attributes.map(|id| id.to_string()).collect();
        format!(
            "SELECT t_d.attribute_id, e.entity_id, t_d.value AS default_value, \
             t_s.value AS store_value, IF(t_s.value_id IS NULL, t_d.value, t_s.value) AS value \
             FROM catalog_product_entity AS e INNER JOIN {table} AS t_d \
             ON e.entity_id = t_d.entity_id LEFT JOIN {table} AS t_s \
             ON t_s.attribute_id = t_d.attribute_id AND t_s.entity_id = t_d.entity_id \
             AND t_s.store_id = 1 WHERE e.entity_id IN ({ids}) \
             AND t_d.attribute_id IN ({}) AND t_d.store_id = IFNULL(t_s.store_id, 0)",
            attributes.join(",")
        )
    };
    let varchars = of("catalog_product_entity_varchar", VARCHARS);
    let ints = of("catalog_product_entity_int", INTS);
    view.ask("texts and numbers", RowOrder::AnyOrder, format!("{varchars} UNION ALL {ints}"))?;
    let decimals = of("catalog_product_entity_decimal", DECIMALS);
    view.ask("amounts", RowOrder::AnyOrder, decimals)?;
    let stock = view.ask(
        "stock",
        RowOrder::AnyOrder,
        format!(
            "SELECT si.product_id, si.qty, si.is_in_stock FROM cataloginventory_stock_item AS si \
             WHERE si.stock_id = 1 AND si.product_id IN ({ids})"
        ),
    )?;
    let sold_out: Vec<&str> = stock
        .iter()
        .filter(|row| text(row, 2) == Some("0"))
        .filter_map(|row| text(row, 0))
        .collect();
    if let Some(first) = sold_out.first() {
        view.ask(
            "instead of what is sold out",
            RowOrder::Ordered,
            format!(
                "SELECT e.entity_id, e.sku FROM catalog_product_entity AS e \
                 WHERE e.entity_id > {first} AND EXISTS (SELECT 1 \
                 FROM cataloginventory_stock_item AS si WHERE si.product_id = e.entity_id \
                 AND si.is_in_stock = 1) ORDER BY e.entity_id LIMIT 3"
            ),
        )?;
    }
    Ok(())
}

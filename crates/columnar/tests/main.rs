//! Tests of tables by column, in one program: each file is a theme, and is linked once with all
//! others.

mod common;

mod columnar;
mod conformance;
mod damage;
mod groups;
mod index;
mod statistics;

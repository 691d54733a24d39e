//! The analytic way over the real engine: answers as MariaDB's, the air traffic queries, limits.

#[path = "analytic/house.rs"]
mod house;
#[path = "analytic/limits.rs"]
mod limits;
#[path = "analytic/ontime.rs"]
mod ontime;
#[path = "analytic/queries.rs"]
mod queries;

//! How inserts went over time: every INSERT with its moment, and from time to time what was spent
//! so far, so that any last part of the rows can be told apart afterwards.
//!
//! Not here: who inserts (`inserter`), and what a stall is (`pace`).

use std::time::{Duration, Instant};

use crate::experiments::pace::{PaceStep, steps};
use crate::generator::{ResourcesSpent, Sample};

/// One INSERT that was answered.
struct Insert {
    at: Instant,
    took: Duration,
    rows: u64,
}

/// All INSERTs of a connection.
pub struct Course {
    pid: u32,
    began: Instant,
    inserts: Vec<Insert>,
    rows: u64,
    /// After how many rows it is looked again at what was spent.
    look_rows: u64,
    /// What was spent, with the number of INSERTs and of rows at that moment, ascending.
    looks: Vec<(usize, u64, ResourcesSpent)>,
}

impl Course {
    /// Inserts into this server begin now.
    pub fn begin(pid: u32, look_rows: u64) -> Course {
        let looks = vec![(0, 0, ResourcesSpent::by(&[pid]))];
        Course { pid, began: Instant::now(), inserts: Vec::new(), rows: 0, look_rows, looks }
    }

    /// What was inserted so far was only to come here: it is counted, and no part of the course.
    pub fn begin_here(&mut self) {
        let rows = self.rows;
        *self = Course { rows, ..Course::begin(self.pid, self.look_rows) };
        self.looks[0].1 = rows;
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Seconds so far.
    pub fn seconds_passed(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// An INSERT of so many rows was answered now.
    pub fn note(&mut self, took: Duration, rows: u64) {
        self.inserts.push(Insert { at: Instant::now(), took, rows });
        self.rows += rows;
        if self.looks.last().is_none_or(|(_, then, _)| self.rows - then >= self.look_rows) {
            self.look();
        }
    }

    /// A part ends here: what comes is told apart from it exactly.
    pub fn look(&mut self) {
        self.looks.push((self.inserts.len(), self.rows, ResourcesSpent::by(&[self.pid])));
    }

    /// What the rows behind the first `rows` took until the last look, as one window: a little more
    /// of them, as it is looked only from time to time; at most the whole course.
    pub fn behind(&self, rows: u64) -> Sample {
        let mut sample = Sample::new();
        let from = self.looks.iter().rfind(|(_, there, _)| *there <= rows).or(self.looks.first());
        if let Some(((first, _, before), (end, _, after))) = from.zip(self.looks.last()) {
            for insert in &self.inserts[*first..*end] {
                sample.count(insert.took.as_nanos() as u64, insert.rows as u32);
            }
            after.since(before, &mut sample);
        }
        sample
    }

    /// The INSERT that took longest.
    pub fn longest(&self) -> Duration {
        self.inserts.iter().map(|insert| insert.took).max().unwrap_or_default()
    }

    /// Rows of each full second; an INSERT that took seconds makes each of them as slow.
    pub fn seconds(&self) -> Vec<PaceStep> {
        let taken = |insert: &Insert| ((insert.at - self.began).as_secs_f64(), insert.rows);
        steps(self.inserts.iter().map(taken), 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A course whose INSERTs of 100 rows were answered at these milliseconds.
    fn course(answered_ms: &[u64]) -> Course {
        let mut course = Course::begin(std::process::id(), 200);
        let mut before = 0;
        for &at in answered_ms {
            course.note(Duration::from_millis(at - before), 100);
            let insert = course.inserts.last_mut().expect("it was noted");
            insert.at = course.began + Duration::from_millis(at);
            before = at;
        }
        course.look();
        course
    }

    #[test]
    fn an_insert_that_took_seconds_makes_each_of_them_slow() {
        let course = course(&[500, 1_000, 1_500, 2_000, 5_000]);
        let rows: Vec<f64> = course.seconds().iter().map(|(_, rows)| rows.round()).collect();
        assert_eq!(rows, [200.0, 200.0, 33.0, 33.0, 33.0]);
        assert_eq!(course.longest(), Duration::from_secs(3));
    }

    #[test]
    fn the_last_part_has_its_rows_and_little_more() {
        let course = course(&[10, 20, 30, 40, 50, 60, 70]);
        // Looked at after 200, 400, 600 and 700 rows.
        assert_eq!(course.behind(400).rows, 300);
        assert_eq!(course.behind(500).rows, 300);
        assert_eq!((course.behind(0).rows, course.behind(0).requests), (700, 7));
    }

    #[test]
    fn what_came_before_the_beginning_is_counted_and_not_measured() {
        let mut course = course(&[10, 20, 30]);
        assert_eq!(course.rows(), 300);
        course.begin_here();
        assert_eq!((course.rows(), course.behind(300).rows), (300, 0));
        course.note(Duration::from_millis(1), 100);
        course.look();
        assert_eq!((course.rows(), course.behind(300).rows), (400, 100));
        assert_eq!(course.longest(), Duration::from_millis(1));
    }
}

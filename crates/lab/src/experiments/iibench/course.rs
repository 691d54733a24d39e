//! How inserts went over time: every INSERT with its moment, and from time to time what was spent so far,
//! so that any last part of the rows can be told apart afterwards.
//!
//! Not here: who inserts (`inserter`).

use std::time::{Duration, Instant};

use crate::generator::{Sample, Spent};
use crate::spread::Spread;

/// A second with less than this part of the median second's rows is a stall.
const STALL_PART: f64 = 0.5;

/// When a second began, and its rows.
pub type Second = (f64, f64);

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
    looks: Vec<(usize, u64, Spent)>,
}

impl Course {
    /// Inserts into this server begin now.
    pub fn begin(pid: u32, look_rows: u64) -> Course {
        let looks = vec![(0, 0, Spent::by(&[pid]))];
        Course { pid, began: Instant::now(), inserts: Vec::new(), rows: 0, look_rows, looks }
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
        self.looks.push((self.inserts.len(), self.rows, Spent::by(&[self.pid])));
    }

    /// What the rows behind the first `rows` took until the last look, as one window: a little more of
    /// them, as it is looked only from time to time.
    pub fn behind(&self, rows: u64) -> Sample {
        let mut sample = Sample::new();
        let from = self.looks.iter().rfind(|(_, there, _)| *there <= rows);
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
    pub fn seconds(&self) -> Vec<Second> {
        let (mut seconds, mut from, mut rows) = (Vec::new(), 0.0, 0);
        for insert in &self.inserts {
            rows += insert.rows;
            let now = (insert.at - self.began).as_secs_f64();
            let passed = now - from;
            if passed >= 1.0 {
                let rate = rows as f64 / passed;
                seconds.extend((0..passed as u64).map(|second| (from + second as f64, rate)));
                (from, rows) = (now, 0);
            }
        }
        seconds
    }
}

/// The slowest second over the median one; nothing of inserts that took no second.
pub fn slowest_over_median(seconds: &[Second]) -> Option<f64> {
    let rate = Spread::of(seconds.iter().map(|(_, rows)| *rows));
    (rate.median > 0.0).then(|| rate.min / rate.median)
}

/// The seconds that are stalls, the worst first.
pub fn stalls(seconds: &[Second]) -> Vec<Second> {
    let median = Spread::of(seconds.iter().map(|(_, rows)| *rows)).median;
    let slow = seconds.iter().filter(|(_, rows)| *rows < STALL_PART * median);
    let mut slow: Vec<Second> = slow.copied().collect();
    slow.sort_by(|one, other| one.1.total_cmp(&other.1));
    slow
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
    fn seconds_below_half_of_the_median_one_are_stalls_the_worst_first() {
        let seconds = [(0.0, 100.0), (1.0, 40.0), (2.0, 110.0), (3.0, 10.0), (4.0, 90.0)];
        assert_eq!(stalls(&seconds), [(3.0, 10.0), (1.0, 40.0)]);
        assert_eq!(slowest_over_median(&seconds), Some(10.0 / 90.0));
        assert_eq!(slowest_over_median(&[]), None);
    }

    #[test]
    fn the_last_part_has_its_rows_and_little_more() {
        let course = course(&[10, 20, 30, 40, 50, 60, 70]);
        // Looked at after 200, 400, 600 and 700 rows.
        assert_eq!(course.behind(400).rows, 300);
        assert_eq!(course.behind(500).rows, 300);
        assert_eq!((course.behind(0).rows, course.behind(0).requests), (700, 7));
    }
}

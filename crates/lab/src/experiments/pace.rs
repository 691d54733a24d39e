//! How many rows a server took in each second (or part of one) of a long piece of work, and which
//! of these were stalls.
//!
//! Not here: what was done (`iibench`, `load`), and how it is drawn (`plot::time`).

use std::time::Instant;

use crate::spread::Spread;

/// A step with less than this part of the median step's rows is a stall.
const STALL_PART: f64 = 0.5;
/// A short piece of work is looked at in so many steps, but none is shorter or longer than these.
const STEPS: f64 = 100.0;
const STEP_SECONDS_MIN: f64 = 0.1;
const STEP_SECONDS_MAX: f64 = 1.0;

/// When a step began, in seconds, and its rows per second.
pub type PaceStep = (f64, f64);

/// Rows of each full step; `taken` says after how many seconds how many rows more were there,
/// ascending. What took several steps makes each of them as slow.
pub fn steps(taken: impl IntoIterator<Item = (f64, u64)>, length: f64) -> Vec<PaceStep> {
    let (mut steps, mut from, mut rows) = (Vec::new(), 0.0, 0);
    for (now, more) in taken {
        rows += more;
        let passed = now - from;
        if passed >= length {
            let rate = rows as f64 / passed;
            let full = (passed / length) as u64;
            steps.extend((0..full).map(|step| (from + step as f64 * length, rate)));
            (from, rows) = (now, 0);
        }
    }
    steps
}

/// The slowest step over the median one; nothing of work that took no step.
pub fn slowest_over_median(steps: &[PaceStep]) -> Option<f64> {
    let rate = Spread::of(steps.iter().map(|(_, rows)| *rows));
    (rate.median > 0.0).then(|| rate.min / rate.median)
}

/// The steps that are stalls, the worst first.
pub fn stalls(steps: &[PaceStep]) -> Vec<PaceStep> {
    let median = Spread::of(steps.iter().map(|(_, rows)| *rows)).median;
    let slow = steps.iter().filter(|(_, rows)| *rows < STALL_PART * median);
    let mut slow: Vec<PaceStep> = slow.copied().collect();
    slow.sort_by(|one, other| one.1.total_cmp(&other.1));
    slow
}

/// The moments at which a server took rows of a text.
#[derive(Debug, Default)]
pub struct Pace {
    began: Option<Instant>,
    taken: Vec<(f64, u64)>,
}

/// What a `Pace` gave.
#[derive(Debug, Clone)]
pub struct PaceOutcome {
    /// Length of a step in seconds.
    pub step: f64,
    /// The steps in which rows were taken.
    pub steps: Vec<PaceStep>,
    /// When the last row was taken, in seconds from the first on.
    pub last: f64,
    /// When the server answered.
    pub answered: f64,
}

impl Pace {
    /// So many rows go out now; the time begins with the first of them.
    pub fn note(&mut self, rows: u64) {
        let passed = self.passed();
        self.taken.push((passed, rows));
    }

    /// The server has answered now.
    pub fn end(mut self) -> PaceOutcome {
        let answered = self.passed();
        let last = self.taken.last().map_or(0.0, |(at, _)| *at);
        let step = (last / STEPS).clamp(STEP_SECONDS_MIN, STEP_SECONDS_MAX);
        PaceOutcome { step, steps: steps(self.taken, step), last, answered }
    }

    fn passed(&mut self) -> f64 {
        self.began.get_or_insert_with(Instant::now).elapsed().as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_several_steps_makes_each_of_them_slow() {
        let taken = [(0.5, 100), (1.0, 100), (1.5, 100), (2.0, 100), (5.0, 100)];
        let rows: Vec<f64> = steps(taken, 1.0).iter().map(|(_, rows)| rows.round()).collect();
        assert_eq!(rows, [200.0, 200.0, 33.0, 33.0, 33.0]);
        assert_eq!(steps(taken, 0.5).len(), 10);
    }

    #[test]
    fn steps_below_half_of_the_median_one_are_stalls_the_worst_first() {
        let steps = [(0.0, 100.0), (1.0, 40.0), (2.0, 110.0), (3.0, 10.0), (4.0, 90.0)];
        assert_eq!(stalls(&steps), [(3.0, 10.0), (1.0, 40.0)]);
        assert_eq!(slowest_over_median(&steps), Some(10.0 / 90.0));
        assert_eq!(slowest_over_median(&[]), None);
    }

    #[test]
    fn a_pace_tells_when_the_last_row_went_out_and_when_the_answer_came() {
        let mut pace = Pace::default();
        pace.note(10);
        std::thread::sleep(std::time::Duration::from_millis(250));
        pace.note(10);
        std::thread::sleep(std::time::Duration::from_millis(20));
        let paced = pace.end();
        assert!(paced.step == STEP_SECONDS_MIN && paced.steps.len() >= 2, "{paced:?}");
        assert!(paced.last >= 0.25 && paced.answered >= paced.last + 0.02, "{paced:?}");
    }
}

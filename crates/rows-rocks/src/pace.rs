//! How fast writers may go while compactions are behind: as fast as new files are taken away, not
//! at full speed until RocksDB holds everybody up.
//!
//! Each full write buffer becomes a file of level 0, and a compaction takes these away many at a
//! time. Left alone, writers run ahead until there are so many that RocksDB holds writes back, by a
//! rate that it lowers with every file that comes meanwhile: the rate swings between a hundredth
//! and the double of what can be kept up. Here the count of these files says how much of that each
//! write may take; RocksDB's own brake is set behind it (`options`).
//!
//! ```text
//! files     up to 8    16     24      36
//! rate        1.2     1.0    0.85    0.5    times what compactions have taken away lately
//! ```
//!
//! A compaction takes many files at its end, so their count swings while as much comes as goes. The
//! rate hardly follows that: a writer that hurries whenever there are few pays for it a second
//! later.
//!
//! Invariants
//! 1. Nobody waits unless there were eight new files a moment ago (`CROWDED_FOR`), however much is
//!    written.
//! 2. A write waits `WAIT_MAX` at most.
//!
//! Not here: who must not wait, and goes elsewhere then (`writing`).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// New files from which on writers are held back, at which no more and no less may come than goes,
/// and at which a little less.
const FILES_CROWDED: f64 = 8.0;
const FILES_EVEN: f64 = 16.0;
const FILES_MANY: f64 = 24.0;
/// Of what compactions take away, how much may be written at each of these.
const PART_AT_FEW: f64 = 1.2;
const PART_AT_MANY: f64 = 0.85;
/// Where RocksDB would begin to brake.
const PART_AT_MOST: f64 = 0.5;
/// How long writers are held back after there were so many files last: longer than it takes until
/// the next ones are there.
const CROWDED_FOR: Duration = Duration::from_secs(5);
/// New files at which RocksDB brakes by itself, and at which it stops writes.
pub(crate) const FILES_SLOWED: i32 = 36;
pub(crate) const FILES_STOPPED: i32 = 48;
/// The longest wait of a write.
const WAIT_MAX: Duration = Duration::from_millis(250);
/// What may be written ahead of the rate: so much time of it.
const AHEAD: Duration = Duration::from_millis(20);
/// How often files are counted, at most.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Steps in which it is seen what compactions take away.
const STEP: Duration = Duration::from_secs(1);
/// A compaction takes many files at its end, and none before. So what goes is seen over so many
/// ends at least, however far they are apart: over a time between two of them nothing would have
/// gone. But not over more than `SEEN_MAX`, nor less than `SEEN_MIN`.
const ENDS_SEEN: usize = 4;
const SEEN_MIN: Duration = Duration::from_secs(12);
const SEEN_MAX: Duration = Duration::from_secs(120);
/// Bytes a second, before anything is known.
const RATE_FIRST: f64 = (64 << 20) as f64;
const RATE_MIN: f64 = (1 << 20) as f64;

/// The pace of a store's writers.
pub(crate) struct Pace {
    /// Bytes of a file when it is written into a buffer, about.
    file_bytes: f64,
    state: Mutex<PaceState>,
}

struct PaceState {
    files: f64,
    looked: Instant,
    /// When there were `FILES_CROWDED` last.
    crowded: Option<Instant>,
    /// Bytes written since the store was opened.
    written: f64,
    /// The ends of the last steps; none before the first look.
    steps: VecDeque<PaceStep>,
    /// Bytes a second that compactions take away.
    taken_away: f64,
    /// When what was written is over by the rate.
    even_at: Instant,
}

#[derive(Clone, Copy)]
struct PaceStep {
    at: Instant,
    /// As of then.
    written: f64,
    files: f64,
}

impl Pace {
    /// For write buffers of so many bytes.
    pub(crate) fn new(buffer: usize, now: Instant) -> Pace {
        let state = PaceState {
            files: 0.0,
            looked: now,
            crowded: None,
            written: 0.0,
            steps: VecDeque::new(),
            taken_away: RATE_FIRST,
            even_at: now,
        };
        Pace { file_bytes: buffer as f64 * 0.75, state: Mutex::new(state) }
    }

    /// How long who wants to write now has to wait. `files`: how many there are of level 0.
    pub(crate) fn wait(&self, now: Instant, files: impl FnOnce() -> u64) -> Duration {
        let mut state = self.state.lock();
        if now.saturating_duration_since(state.looked) >= LOOK_EVERY {
            state.looked = now;
            state.files = files() as f64;
            if state.files >= FILES_CROWDED {
                state.crowded = Some(now);
            }
            state.step(now, self.file_bytes);
        }
        if !state.is_crowded(now) {
            return Duration::ZERO;
        }
        let ahead = state.even_at.saturating_duration_since(now);
        ahead.saturating_sub(AHEAD).min(WAIT_MAX)
    }

    /// So many bytes were written.
    pub(crate) fn note(&self, now: Instant, bytes: usize) {
        let mut state = self.state.lock();
        state.written += bytes as f64;
        if !state.is_crowded(now) {
            state.even_at = now;
            return;
        }
        let rate = (state.taken_away * part_at(state.files)).max(RATE_MIN);
        state.even_at = state.even_at.max(now) + Duration::from_secs_f64(bytes as f64 / rate);
    }
}

impl PaceState {
    /// Whether there were many files a moment ago.
    fn is_crowded(&self, now: Instant) -> bool {
        self.crowded.is_some_and(|then| now.saturating_duration_since(then) < CROWDED_FOR)
    }

    /// Looks at what was taken away, once a step is over.
    fn step(&mut self, now: Instant, file_bytes: f64) {
        if let Some(last) = self.steps.back() {
            let passed = now.saturating_duration_since(last.at);
            if passed < STEP {
                return;
            }
            // After a rest nothing is known of what went meanwhile.
            if passed > SEEN_MIN {
                self.steps.clear();
                self.taken_away = self.taken_away.max(RATE_FIRST);
            }
        }
        let Self { written, files, .. } = *self;
        self.steps.push_back(PaceStep { at: now, written, files });
        self.forget_steps(now);
        let first = self.steps[0];
        let seconds = now.saturating_duration_since(first.at).as_secs_f64();
        if seconds <= 0.0 {
            return;
        }
        let gone = written - first.written - (files - first.files) * file_bytes;
        let gone = (gone / seconds).max(RATE_MIN);
        self.taken_away = match self.files < FILES_CROWDED {
            // Less was written than could have gone.
            true => self.taken_away.max(gone),
            false => self.taken_away + (gone - self.taken_away) / 2.0,
        };
    }

    /// Forgets steps that are not needed to see `ENDS_SEEN` ends, or are older than `SEEN_MAX`.
    fn forget_steps(&mut self, now: Instant) {
        while let (Some(second), true) = (self.steps.get(1), self.steps.len() > 2) {
            let seen = now.saturating_duration_since(second.at);
            let behind = self.steps.iter().skip(1).zip(self.steps.iter().skip(2));
            let ends = behind.filter(|(before, step)| step.files < before.files).count();
            if seen < SEEN_MIN || (ends < ENDS_SEEN && seen < SEEN_MAX) {
                return;
            }
            self.steps.pop_front();
        }
    }
}

/// Which part of what is taken away may be written, with so many new files.
fn part_at(files: f64) -> f64 {
    const PLACES: [(f64, f64); 4] = [
        (FILES_CROWDED, PART_AT_FEW),
        (FILES_EVEN, 1.0),
        (FILES_MANY, PART_AT_MANY),
        (FILES_SLOWED as f64, PART_AT_MOST),
    ];
    let between = |place: &[(f64, f64)]| {
        let ((from, part), (to, next)) = (place[0], place[1]);
        (files < to).then(|| part + (next - part) * ((files - from) / (to - from)).max(0.0))
    };
    PLACES.windows(2).find_map(between).unwrap_or(PART_AT_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    /// A store whose writers want so many MiB a second, in writes of a fifth of one, and whose
    /// compactions take at each end of so many milliseconds all files that were there when they
    /// began. Gives MiB written in each second.
    fn seconds(wanted: f64, compaction_ms: u64, total: u64) -> Vec<f64> {
        let start = Instant::now();
        let pace = Pace::new(8 * MIB, start);
        let (mut now, mut buffered, mut files, mut taking, mut ends) = (0.0, 0.0, 0u64, 0, 0.0);
        let mut out = vec![0.0; total as usize];
        while now < total as f64 {
            let at = start + Duration::from_secs_f64(now);
            if files >= 4 && taking == 0 {
                (taking, ends) = (files, now + compaction_ms as f64 / 1e3);
            }
            if taking > 0 && now >= ends {
                files -= std::mem::take(&mut taking);
            }
            let wait = pace.wait(at, || files);
            if !wait.is_zero() {
                now += wait.as_secs_f64();
                continue;
            }
            pace.note(at, MIB / 5);
            out[now as usize] += 0.2;
            buffered += 0.2;
            if buffered >= 6.0 {
                (buffered, files) = (0.0, files + 1);
            }
            now += 0.2 / wanted;
        }
        out
    }

    #[test]
    fn writers_who_want_too_much_are_held_at_an_even_pace() {
        // 24 MiB a second, of which a compaction of three seconds takes what there is.
        let written = seconds(60.0, 2500, 60);
        let mut late = written[20..].to_vec();
        late.sort_by(f64::total_cmp);
        let (slowest, median) = (late[0], late[late.len() / 2]);
        assert!(slowest >= median / 2.0, "{slowest} of {median}: {written:?}");
        assert!(median > 10.0, "{written:?}");
        // Nor do they hurry when a compaction has just taken all there was, to be held the longer
        // for it.
        let fastest = late[late.len() - 1];
        assert!(fastest <= median * 1.2, "{fastest} of {median}: {written:?}");
    }

    #[test]
    fn who_was_held_goes_freely_again_once_there_were_few_files_for_a_while() {
        let start = Instant::now();
        let pace = Pace::new(8 * MIB, start);
        let wait = |seconds: u64, files| {
            let at = start + Duration::from_secs(seconds);
            let wait = pace.wait(at, || files);
            pace.note(at, 64 * MIB);
            wait
        };
        // The first write of a crowded store is only the reason why the next one waits.
        assert_eq!(wait(1, 7), Duration::ZERO);
        assert_eq!(wait(2, 8), Duration::ZERO);
        assert_eq!([wait(2, 8), wait(2, 8)], [WAIT_MAX; 2]);
        assert_eq!(wait(3, 0), WAIT_MAX);
        assert_eq!(wait(2 + CROWDED_FOR.as_secs(), 7), Duration::ZERO);
        assert_eq!(wait(2 + CROWDED_FOR.as_secs(), 7), Duration::ZERO);
    }

    /// Between two ends of such compactions nothing seems to go.
    #[test]
    fn compactions_that_take_long_do_not_stop_writers() {
        let written = seconds(60.0, 25_000, 400);
        let mut late = written[100..].to_vec();
        late.sort_by(f64::total_cmp);
        let (slowest, median) = (late[0], late[late.len() / 2]);
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        assert!(slowest >= median * 0.4, "{slowest} of {median}: {written:?}");
        assert!(median > mean * 0.8, "{median} of {mean}: {written:?}");
    }

    /// They were not written since, so that they do not hide what goes.
    #[test]
    fn files_that_were_there_at_the_opening_do_not_stop_writers() {
        let start = Instant::now();
        let pace = Pace::new(8 * MIB, start);
        let (mut passed, mut written) = (Duration::ZERO, 0);
        while passed < Duration::from_secs(10) {
            let wait = pace.wait(start + passed, || 20);
            passed += wait.max(Duration::from_micros(100));
            if wait.is_zero() {
                pace.note(start + passed, MIB / 5);
                written += 1;
            }
        }
        assert!(written / 5 > 200, "{} MiB in ten seconds", written / 5);
    }

    #[test]
    fn who_wants_what_can_be_kept_up_never_waits() {
        let written = seconds(8.0, 1000, 20);
        assert!(written.iter().all(|written| *written > 7.5), "{written:?}");
    }

    #[test]
    fn more_files_mean_a_smaller_part() {
        let parts = [0.0, 8.0, 16.0, 24.0, 36.0, 99.0].map(part_at);
        assert_eq!(parts, [1.2, 1.2, 1.0, 0.85, 0.5, 0.5]);
    }
}

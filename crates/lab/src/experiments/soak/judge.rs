//! Whether the soak was good: every second of every phase, memory, and what is left afterwards.
//!
//! A second is bad when it has less than half of its phase's median and nothing explains it. What
//! explains it is named in the report: something else that went on (a backup, a schema change),
//! the store writing its buffers to files or merging files, other work on the machine, a disk that
//! was waited for longer than usual. A store at work explains a tenth of the rate, not less, and
//! others explain a quarter of what they left; a standstill is explained only by others who left
//! nothing.
//!
//! Invariants
//! 1. The first second of a phase, in which clients come, is shown and not judged.
//!
//! Not here: measuring (`load`, `watch`).

use serde::Serialize;

use super::disturbances::Occurrence;
use super::load::Second;
use super::watch::Glance;

/// A second has at least this part of its phase's median.
const PART_MIN: f64 = 0.5;
/// The same while the store is at work.
const PART_MIN_STORE: f64 = 0.1;
/// The last third of a phase has at least this part of the first.
const DECLINE_MIN: f64 = 0.5;
/// Cores that others take before they count as a reason, as a part of all.
const OTHERS: f64 = 0.25;
/// With less than this part of the machine nobody gets anywhere.
const LEFT_MIN: f64 = 0.1;
/// How much longer than usual a disk is waited for before that is a reason.
const DISK_MORE: f64 = 0.3;
/// What memory may take, over its setting.
const MEMORY_OVER: f64 = 1.1;

/// One second of the soak.
#[derive(Debug, Clone, Serialize)]
pub struct SecondLine {
    /// The phase.
    pub phase: String,
    /// Seconds of load since the beginning of the soak.
    pub at: usize,
    /// What clients saw.
    #[serde(flatten)]
    pub seen: Second,
    /// How the server was.
    #[serde(flatten)]
    pub glance: Glance,
    /// What may explain that it was slow.
    pub reasons: Vec<String>,
}

/// Names what may have slowed down the seconds of a phase.
pub fn explain(lines: &mut [SecondLine], events: &[Occurrence], cores: f64) {
    let usual = median(lines.iter().map(|line| line.glance.disk_waited));
    let mut store_was_busy = false;
    for (second, line) in lines.iter_mut().enumerate() {
        let (from, to) = (second as f64, second as f64 + 1.0);
        for event in events.iter().filter(|event| event.from < to && event.to > from) {
            let what = event.what.clone();
            if !line.reasons.contains(&what) {
                line.reasons.push(what);
            }
        }
        // What is at work at the end of the second, or was at its beginning.
        if line.glance.store_busy || store_was_busy {
            line.reasons.push(STORE.to_owned());
        }
        store_was_busy = line.glance.store_busy;
        if line.glance.other_cores > OTHERS * cores {
            let percent = line.glance.other_cores / cores * 100.0;
            line.reasons.push(format!("{MACHINE}others took {percent:.0}% of it"));
        }
        if line.glance.disk_waited > usual + DISK_MORE {
            let percent = line.glance.disk_waited * 100.0;
            line.reasons.push(format!("{MACHINE}a disk was waited for in {percent:.0}% of it"));
        }
    }
}

const STORE: &str = "store: writes buffers to files or merges files";
const MACHINE: &str = "machine: ";

/// The least rate of a second, for what explains that it is slow.
fn least(line: &SecondLine, usual: f64, cores: f64) -> f64 {
    let mut least = usual * PART_MIN;
    for reason in &line.reasons {
        least = least.min(match reason.as_str() {
            STORE => usual * PART_MIN_STORE,
            // Of what others left; being switched to and fro costs as well.
            others if others.starts_with(MACHINE) => match left_over(line, cores) {
                left if left < LEFT_MIN => 0.0,
                left => usual * left / 4.0,
            },
            _ => 0.0,
        });
    }
    least
}

/// The part of the machine that others left.
fn left_over(line: &SecondLine, cores: f64) -> f64 {
    (1.0 - line.glance.other_cores / cores).clamp(0.05, 1.0)
}

/// What a phase's seconds have against it, and which of them were slow for a reason.
pub fn judge(lines: &[SecondLine], cores: f64) -> (Vec<String>, Vec<String>) {
    let (mut failures, mut explained) = (Vec::new(), Vec::new());
    let judged = lines.get(1..).unwrap_or_default();
    let usual = median(judged.iter().map(|line| line.seen.requests as f64));
    for line in judged {
        let rate = line.seen.requests as f64;
        if rate >= usual * PART_MIN && rate > 0.0 {
            continue;
        }
        let SecondLine { phase, at, reasons, .. } = line;
        let what = format!("{phase}, second {at}: {rate:.0}/s where {usual:.0}/s are usual");
        let what = match reasons.is_empty() {
            true => what,
            false => format!("{what} ({})", reasons.join("; ")),
        };
        let ran = rate > 0.0 || left_over(line, cores) < LEFT_MIN;
        let excused = ran && rate >= least(line, usual, cores);
        if excused { &mut explained } else { &mut failures }.push(what);
    }
    failures.extend(decline(judged, cores));
    (failures, explained)
}

/// A rate that falls and stays low has a low median: the ends of the phase are compared as well,
/// by what they did with what others left of the machine, but for seconds with something beside.
fn decline(judged: &[SecondLine], cores: f64) -> Option<String> {
    let third = judged.len() / 3;
    let is_machine = |reason: &String| reason.starts_with(MACHINE);
    let mean = |lines: &[SecondLine]| {
        let alone = lines
            .iter()
            .filter(|line| line.reasons.iter().all(|reason| reason == STORE || is_machine(reason)));
        let rates: Vec<f64> =
            alone.map(|line| line.seen.requests as f64 / left_over(line, cores)).collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    };
    let ends = [&judged[..third], &judged[judged.len() - third..]];
    let disturbed =
        ends.iter().any(|end| end.iter().any(|line| line.reasons.iter().any(is_machine)));
    let least = if disturbed { DECLINE_MIN / 2.0 } else { DECLINE_MIN };
    let (first, last) = (mean(ends[0])?, mean(ends[1])?);
    (last < first * least).then(|| {
        let phase = &judged[0].phase;
        format!(
            "{phase}: {first:.0}/s in the first third, {last:.0}/s in the last, of a whole machine"
        )
    })
}

/// What the most memory of a phase has against it.
pub fn judge_memory(lines: &[SecondLine], setting_mib: f64) -> Option<String> {
    let most = lines.iter().max_by(|a, b| a.glance.rss_mib.total_cmp(&b.glance.rss_mib))?;
    let mib = most.glance.rss_mib;
    (mib > setting_mib * MEMORY_OVER).then(|| {
        let (phase, at) = (&most.phase, most.at);
        format!("{phase}, second {at}: {mib:.0} MiB resident where {setting_mib:.0} MiB are set")
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    crate::spread::Spread::of(values).median
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(rates: &[u64]) -> Vec<SecondLine> {
        let line = |(at, &requests): (usize, &u64)| SecondLine {
            phase: "p".to_owned(),
            at,
            seen: Second { requests, ..Second::default() },
            glance: Glance::default(),
            reasons: Vec::new(),
        };
        rates.iter().enumerate().map(line).collect()
    }

    #[test]
    fn a_slow_second_fails_unless_something_explains_it() {
        let mut phase = lines(&[5, 100, 100, 40, 100, 100, 100]);
        assert_eq!(judge(&phase, 2.0).0, ["p, second 3: 40/s where 100/s are usual"]);
        let event = Occurrence { what: "backup".to_owned(), from: 3.5, to: 3.6 };
        explain(&mut phase, &[event], 2.0);
        let (failures, explained) = judge(&phase, 2.0);
        assert_eq!(failures, [] as [&str; 0]);
        assert_eq!(explained, ["p, second 3: 40/s where 100/s are usual (backup)"]);
    }

    #[test]
    fn a_store_at_work_explains_slowness_and_no_standstill() {
        for (rate, fails) in [(30, false), (5, true), (0, true)] {
            let mut phase = lines(&[100, 100, 100, rate, 100, 100, 100]);
            phase[3].glance.store_busy = true;
            explain(&mut phase, &[], 2.0);
            assert_eq!(judge(&phase, 2.0).0.len(), usize::from(fails), "{rate}");
        }
    }

    #[test]
    fn a_rate_that_falls_and_stays_low_fails_although_its_median_is_low() {
        let phase = lines(&[50, 900, 900, 9, 8, 9, 8, 9, 9]);
        let failures = judge(&phase, 2.0).0;
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert!(failures[0].starts_with("p: 900/s in the first third, 9/s in the last"));
    }

    #[test]
    fn others_explain_what_they_took_and_no_more() {
        for (rate, fails) in [(20, false), (2, true)] {
            let mut phase = lines(&[100, 100, 100, rate, 100, 100, 100]);
            phase[3].glance.other_cores = 1.4;
            explain(&mut phase, &[], 2.0);
            assert_eq!(judge(&phase, 2.0).0.len(), usize::from(fails), "{rate}");
        }
        // As it was seen: a collapse on a busy machine.
        let mut phase = lines(&[2_000, 21_552, 67, 210, 1_263, 1_000, 900, 700, 38, 113, 501]);
        phase[2..].iter_mut().for_each(|line| line.glance.other_cores = 1.3);
        explain(&mut phase, &[], 2.0);
        assert!(!judge(&phase, 2.0).0.is_empty());
    }

    #[test]
    fn memory_above_its_setting_fails() {
        let mut phase = lines(&[1, 1]);
        phase[1].glance.rss_mib = 290.0;
        assert!(judge_memory(&phase, 256.0).is_some());
        phase[1].glance.rss_mib = 280.0;
        assert!(judge_memory(&phase, 256.0).is_none());
    }
}

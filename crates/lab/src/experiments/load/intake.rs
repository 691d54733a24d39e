//! How a server took the text of a load over time: rows as they went out, for drawing and report.
//!
//! A server that does not read holds the client up once the sockets between are full; what they
//! hold, a few MiB, is the least that a stall must be to show.

use serde_json::{Value, json};

use crate::experiments::pace::{PaceOutcome, stalls};
use crate::plot::Panel;

/// Rows of a piece of text.
pub fn lines(piece: &[u8]) -> u64 {
    piece.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// The course of a load for the report.
pub fn told(name: &str, mode: &str, round: usize, paced: &PaceOutcome) -> Value {
    json!({
        "contender": name, "mode": mode, "round": round,
        "seconds of a step": paced.step,
        "rows per second": paced.steps,
        "stalls": stalls(&paced.steps),
        "seconds from the last row to the answer": paced.answered - paced.last,
    })
}

/// The same for the drawing, with stalls shaded. After the last row there are none until the
/// answer: that is drawn, but is the end of a load and no stall.
pub fn panel(name: &str, paced: PaceOutcome) -> Panel {
    let PaceOutcome { step, steps, last, answered } = paced;
    let stalls: Vec<_> = stalls(&steps).into_iter().map(|(at, _)| at..at + step).collect();
    let (count, end) = (stalls.len(), answered - last);
    let what =
        format!("rows taken per second ({count} stalls of {step:.1} s, {end:.1} s to its end)");
    let points = steps.into_iter().chain([(last, 0.0), (answered, 0.0)]).collect();
    Panel { name: format!("{name}: {what}"), limit: None, points, stalls }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_as_long_as_its_step_and_the_end_is_none() {
        let steps = vec![(0.0, 10.0), (0.5, 1.0), (1.0, 10.0)];
        let paced = PaceOutcome { step: 0.5, steps, last: 1.5, answered: 4.5 };
        assert_eq!(told("a", "b", 0, &paced)["stalls"], json!([[0.5, 1.0]]));
        let panel = panel("a, b", paced);
        assert_eq!(panel.stalls, [0.5..1.0]);
        assert_eq!(panel.points.last(), Some(&(4.5, 0.0)));
        assert!(panel.name.contains("3.0 s to its end"), "{}", panel.name);
    }

    #[test]
    fn rows_of_a_piece_are_its_lines() {
        assert_eq!(lines(b"1|a\n2|b\n"), 2);
        assert_eq!(lines(b""), 0);
    }
}

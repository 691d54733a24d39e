//! Ratios of ours over a peer's, as bars to both sides of 1 on a scale of powers.

use anyhow::Result;
use plotters::prelude::*;

use super::{Area, failed};

/// Height of a bar with the room below it.
const STEP: i32 = 24;
/// Room for the names at the left, for the values at the right, for the axis and the note below.
const LEFT: f64 = 330.0;
const RIGHT: f64 = 70.0;
const BELOW: i32 = 64;
const TITLE: u32 = 40;
/// The axis goes at least so far to both sides of 1.
const REACH_MIN: f64 = 2.0;

const FASTER: RGBColor = RGBColor(0, 92, 175);
const SLOWER: RGBColor = RGBColor(213, 94, 0);

/// One bar.
pub struct RatioBar {
    /// What was asked, and of whom.
    pub name: String,
    /// Ours over the peer's; above 1 we are ahead.
    pub ratio: f64,
}

/// Height of a drawing of these bars.
pub fn height(bars: &[RatioBar]) -> u32 {
    (bars.len() as i32 * STEP + BELOW) as u32 + TITLE
}

/// Draws them in their order.
pub fn draw(root: &Area<'_>, bars: &[RatioBar], note: &str) -> Result<()> {
    let (width, _) = root.dim_in_pixel();
    let small = ("sans-serif", 13).into_font();
    let right = f64::from(width) - RIGHT;
    let (least, most) = reach(bars);
    let x = |ratio: f64| {
        let part = (ratio / least).ln() / (most / least).ln();
        (LEFT + (right - LEFT) * part.clamp(0.0, 1.0)) as i32
    };
    let bottom = bars.len() as i32 * STEP;
    for tick in [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        if (least..=most).contains(&tick) {
            let shade = BLACK.mix(if tick == 1.0 { 0.7 } else { 0.12 });
            let line = PathElement::new(vec![(x(tick), 0), (x(tick), bottom)], shade);
            root.draw(&line).map_err(failed)?;
            let text = Text::new(format!("{tick}"), (x(tick) - 8, bottom + 4), small.clone());
            root.draw(&text).map_err(failed)?;
        }
    }
    for (at, bar) in bars.iter().enumerate() {
        let y = at as i32 * STEP;
        let style = if bar.ratio < 1.0 { SLOWER } else { FASTER }.filled();
        let (from, to) = (x(bar.ratio.min(1.0)), x(bar.ratio.max(1.0)));
        root.draw(&Rectangle::new([(from, y + 2), (to, y + STEP - 5)], style)).map_err(failed)?;
        let label = Text::new(bar.name.clone(), (10, y + 4), small.clone());
        root.draw(&label).map_err(failed)?;
        let value = Text::new(times(bar.ratio), (to + 6, y + 4), small.clone());
        root.draw(&value).map_err(failed)?;
    }
    let text = Text::new(note.to_owned(), (10, bottom + 30), small);
    root.draw(&text).map_err(failed)?;
    Ok(())
}

/// A ratio in a few characters.
fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}x") } else { format!("{ratio:.0}x") }
}

/// Where the axis begins and ends.
fn reach(bars: &[RatioBar]) -> (f64, f64) {
    bars.iter().fold((1.0 / REACH_MIN, REACH_MIN), |(least, most), bar| {
        (least.min(bar.ratio), most.max(bar.ratio))
    })
}

#[cfg(test)]
mod tests {
    use super::super::Drawing;
    use super::*;

    #[test]
    fn losses_and_wins_are_on_their_sides_of_one() {
        let bar = |name: &str, ratio| RatioBar { name: name.to_owned(), ratio };
        let bars = vec![bar("a loss", 0.25), bar("a win", 4.0), bar("a draw", 1.0)];
        assert_eq!(reach(&bars), (0.25, 4.0));
        let text = Drawing::ratios("the title", bars, "the note").text().unwrap();
        for words in ["a loss", "0.25x", "4.00x", "the note", "the title"] {
            assert!(text.contains(words), "{words} in {text}");
        }
        let colour = |RGBColor(red, green, blue)| format!("#{red:02X}{green:02X}{blue:02X}");
        assert_eq!(text.matches(&colour(SLOWER)).count(), 1, "{text}");
        assert_eq!(text.matches(&colour(FASTER)).count(), 2, "{text}");
    }
}

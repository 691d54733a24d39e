//! Horizontal bars with their names and values as text, group under group, over one axis.

use anyhow::Result;
use plotters::prelude::*;

use super::{Area, Group, contender, failed};
use crate::report::thousands;

/// Height of a bar with the room below it.
const STEP: u32 = 20;
/// Room for the names at the left, for the values at the right, for the axis below.
const LEFT: f64 = 260.0;
const RIGHT: f64 = 90.0;
const AXIS: u32 = 60;
const TITLE: u32 = 40;
/// Values further apart than this are drawn on a scale of powers.
const LINEAR_UP_TO: f64 = 50.0;

/// Where values are on the axis.
struct AxisScale {
    smallest: f64,
    largest: f64,
    powers: bool,
}

impl AxisScale {
    fn of(groups: &[Group]) -> AxisScale {
        let values = groups.iter().flat_map(|(_, bars)| bars).map(|(_, value)| *value);
        let above_zero = values.filter(|value| *value > 0.0);
        let (smallest, largest) = above_zero
            .fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let powers = largest / smallest > LINEAR_UP_TO;
        // The smallest bar is still seen.
        let smallest = 10f64.powf((smallest.min(largest).log10() - 0.3).floor());
        AxisScale { smallest, largest, powers }
    }

    /// From 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let place = match self.powers {
            true => (value / self.smallest).log10() / (self.largest / self.smallest).log10(),
            false => value / self.largest,
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Round values for the axis.
    fn ticks(&self) -> Vec<f64> {
        if self.powers {
            let first = self.smallest.log10().ceil() as i32;
            let last = self.largest.log10().floor() as i32;
            return (first..=last).map(|power| 10f64.powi(power)).collect();
        }
        let step = 10f64.powf((self.largest / 2.0).log10().floor());
        let step = [1.0, 2.0, 5.0].map(|times| times * step);
        let step = step.into_iter().find(|step| self.largest / step <= 8.0).unwrap_or(step[2]);
        (0..=(self.largest / step) as u32).map(|times| f64::from(times) * step).collect()
    }
}

/// Height of a drawing of these groups.
pub fn height(groups: &[Group]) -> u32 {
    let lines: usize = groups.iter().map(|(_, bars)| bars.len() + 2).sum();
    lines as u32 * STEP + AXIS + TITLE
}

/// Draws them.
pub fn draw(root: &Area<'_>, unit: &str, groups: &[Group]) -> Result<()> {
    let (width, height) = root.dim_in_pixel();
    let scale = AxisScale::of(groups);
    let small = ("sans-serif", 13).into_font();
    let right = f64::from(width) - RIGHT;
    let x = |value: f64| (LEFT + (right - LEFT) * scale.place(value)) as i32;
    let bottom = (height - AXIS) as i32;
    for tick in scale.ticks() {
        let line = PathElement::new(vec![(x(tick), 0), (x(tick), bottom)], BLACK.mix(0.12));
        root.draw(&line).map_err(failed)?;
        let text = Text::new(short(tick), (x(tick) - 8, bottom + 6), small.clone());
        root.draw(&text).map_err(failed)?;
    }
    let unit = if scale.powers { format!("{unit} (scale of powers)") } else { unit.to_owned() };
    let text = Text::new(unit, (LEFT as i32, bottom + 28), small.clone());
    root.draw(&text).map_err(failed)?;
    let mut y = 0;
    for (mode, bars) in groups {
        let text = Text::new(mode.clone(), (10, y), small.clone());
        root.draw(&text).map_err(failed)?;
        y += STEP as i32;
        for (name, value) in bars {
            let corners = [(LEFT as i32, y), (x(*value), y + STEP as i32 * 4 / 5)];
            let colour = contender::colour(name);
            let style = match contender::is_durable(name) {
                true => colour.filled(),
                false => colour.stroke_width(2),
            };
            root.draw(&Rectangle::new(corners, style)).map_err(failed)?;
            let label = Text::new(contender::label(name), (24, y), small.clone());
            root.draw(&label).map_err(failed)?;
            let value = Text::new(short(*value), (x(*value) + 6, y), small.clone());
            root.draw(&value).map_err(failed)?;
            y += STEP as i32;
        }
        y += STEP as i32;
    }
    Ok(())
}

/// Large figures in thousands, small ones with their decimals.
fn short(value: f64) -> String {
    let is_whole = value.fract() == 0.0;
    if value < 100.0 && !is_whole { format!("{value:.2}") } else { thousands(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_far_apart_share_a_scale_of_powers() {
        let group = |values: [f64; 2]| {
            ("m".to_owned(), values.map(|value| ("a".to_owned(), value)).to_vec())
        };
        let near = AxisScale::of(&[group([20.0, 40.0]), group([10.0, 30.0])]);
        assert!(!near.powers && (near.place(10.0) - 0.25).abs() < 1e-9);
        assert_eq!(near.ticks(), [0.0, 10.0, 20.0, 30.0, 40.0]);
        let far = AxisScale::of(&[group([10.0, 100.0]), group([1.0, 1e6])]);
        assert!(far.powers && far.place(1.0) > 0.0 && far.place(1e6) == 1.0);
        let none = AxisScale::of(&[group([0.0, 0.0])]);
        assert_eq!(none.place(0.0), 0.0);
    }
}

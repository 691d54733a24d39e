//! Figures over time, one panel below the other, with marks that go through all of them and stalls
//! that are shaded in their own.

use std::ops::Range;

use anyhow::Result;
use plotters::prelude::*;

use super::{Area, failed};
use crate::report::thousands;

const TITLE: u32 = 40;
const PANEL: u32 = 130;
/// Room for the names of marks, above the first panel, and for the axis below the last.
const MARKS: u32 = 260;
const AXIS: u32 = 44;
/// Room at the left of a panel, for its figures.
const FIGURES: u32 = 64;
const COLOUR: RGBColor = RGBColor(0, 92, 175);
const LIMIT: RGBColor = RGBColor(190, 30, 70);
const STALL: RGBColor = RGBColor(230, 120, 0);
/// A stall is at least as wide as such a part of the panel.
const STALL_PARTS: f64 = 600.0;

/// A figure over time.
pub struct Panel {
    /// Its name, with its unit.
    pub name: String,
    /// A value to be drawn across.
    pub limit: Option<f64>,
    /// Times and values.
    pub points: Vec<(f64, f64)>,
    /// When it stalled: shaded in this panel alone.
    pub stalls: Vec<Range<f64>>,
}

/// A moment with a name.
pub struct Mark {
    /// When.
    pub at: f64,
    /// What begins then.
    pub name: String,
}

/// Height of a drawing of these panels.
pub fn height(panels: &[Panel], marks: &[Mark]) -> u32 {
    TITLE + head(marks) + panels.len() as u32 * PANEL + AXIS
}

/// Height of the names of marks.
fn head(marks: &[Mark]) -> u32 {
    if marks.is_empty() { 0 } else { MARKS }
}

/// Draws them.
pub fn draw(root: &Area<'_>, x_unit: &str, panels: &[Panel], marks: &[Mark]) -> Result<()> {
    let x_max =
        panels.iter().flat_map(|panel| &panel.points).map(|point| point.0).fold(1.0, f64::max);
    let (names, mut rest) = root.split_vertically(head(marks));
    let width = f64::from(root.dim_in_pixel().0);
    let margin = 10.0;
    let left = f64::from(FIGURES) + margin;
    let text = ("sans-serif", 11).into_font().transform(FontTransform::Rotate270);
    for mark in marks {
        let x = left + (width - left - margin) * mark.at / x_max;
        let text = Text::new(mark.name.clone(), (x as i32, MARKS as i32 - 4), text.clone());
        names.draw(&text).map_err(failed)?;
    }
    for (at, panel) in panels.iter().enumerate() {
        let last = at + 1 == panels.len();
        let (area, below) = rest.split_vertically(if last { PANEL + AXIS } else { PANEL });
        draw_panel(&area, panel, marks, x_max, last.then_some(x_unit))?;
        rest = below;
    }
    Ok(())
}

fn draw_panel(
    area: &Area<'_>,
    panel: &Panel,
    marks: &[Mark],
    x_max: f64,
    x_unit: Option<&str>,
) -> Result<()> {
    let values = panel.points.iter().map(|point| point.1);
    let y_max = values.chain(panel.limit).fold(1.0, f64::max) * 1.08;
    let mut chart = ChartBuilder::on(area)
        .margin_left(10)
        .margin_right(10)
        .margin_bottom(6)
        .caption(&panel.name, ("sans-serif", 13))
        .x_label_area_size(if x_unit.is_some() { AXIS } else { 0 })
        .y_label_area_size(FIGURES)
        .build_cartesian_2d(0.0..x_max, 0.0..y_max)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .y_labels(4)
        .x_desc(x_unit.unwrap_or_default())
        .x_label_formatter(&|value| thousands(*value))
        .y_label_formatter(&|value| thousands(*value))
        .draw()
        .map_err(failed)?;
    for mark in marks {
        let line = vec![(mark.at, 0.0), (mark.at, y_max)];
        chart.draw_series([PathElement::new(line, BLACK.mix(0.25))]).map_err(failed)?;
    }
    // Beneath the line, and never so narrow that they are not seen.
    let narrowest = x_max / STALL_PARTS;
    for stall in &panel.stalls {
        let corners = [(stall.start, 0.0), (stall.end.max(stall.start + narrowest), y_max)];
        let shade = Rectangle::new(corners, STALL.mix(0.3).filled());
        chart.draw_series([shade]).map_err(failed)?;
    }
    if let Some(limit) = panel.limit {
        let line = vec![(0.0, limit), (x_max, limit)];
        chart.draw_series([PathElement::new(line, LIMIT)]).map_err(failed)?;
    }
    let line = LineSeries::new(panel.points.iter().copied(), COLOUR.stroke_width(1));
    chart.draw_series(line).map_err(failed)?;
    Ok(())
}

//! Drawings of results as SVG: bars per contender, and lines over a swept number.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::report::{Measurement, Report, thousands};

const SIZE: (u32, u32) = (1000, 560);
/// Room for the names of lines, at the right.
const NAMES_WIDTH: u32 = 230;
/// Colours that also differ in brightness, for eyes that see few hues.
const COLOURS: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
    RGBColor(160, 200, 60),
    RGBColor(120, 60, 160),
    RGBColor(170, 30, 60),
];

/// Something to be drawn.
pub struct Drawing {
    title: String,
    shape: Shape,
}

enum Shape {
    /// Groups (modes), each with its bars: name and value.
    Bars(Vec<(String, Vec<(String, f64)>)>),
    /// What the x axis counts, and series of points.
    Lines(String, Vec<(String, Vec<(f64, f64)>)>),
}

impl Drawing {
    /// Bars of the medians of a figure, grouped by mode; each group is scaled to its largest.
    pub fn bars(report: &Report, title: &str, figure: fn(&Measurement) -> f64) -> Drawing {
        let group = |mode: String| {
            let bar = |contender: String| {
                let median = report.spread(&mode, &contender, figure).median;
                (contender, median)
            };
            let bars = report.contenders(&mode).into_iter().map(bar).collect();
            (mode, bars)
        };
        let groups = report.modes().into_iter().map(group).collect();
        Drawing { title: format!("{}: {title}", report.experiment), shape: Shape::Bars(groups) }
    }

    /// Lines over a swept number.
    pub fn lines(title: &str, x_axis: &str, series: Vec<(String, Vec<(f64, f64)>)>) -> Drawing {
        Drawing { title: title.to_owned(), shape: Shape::Lines(x_axis.to_owned(), series) }
    }

    /// Writes the file.
    pub fn save(&self, file: &Path) -> Result<()> {
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            root.fill(&WHITE).map_err(failed)?;
            let root = root.titled(&self.title, ("sans-serif", 20)).map_err(failed)?;
            match &self.shape {
                Shape::Bars(groups) => draw_bars(&root, groups)?,
                Shape::Lines(x_axis, series) => draw_lines(&root, x_axis, series)?,
            }
            root.present().map_err(failed)?;
        }
        std::fs::write(file, text)?;
        Ok(())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("drawing: {error}")
}

/// Horizontal bars with their names and values as text, group under group.
fn draw_bars(root: &Area<'_>, groups: &[(String, Vec<(String, f64)>)]) -> Result<()> {
    let (width, height) = root.dim_in_pixel();
    let lines: usize = groups.iter().map(|(_, bars)| bars.len() + 2).sum();
    let step = (height as f64 / lines.max(1) as f64).min(24.0);
    let small = ("sans-serif", (step * 0.7).max(7.0)).into_font();
    let (left, right) = (230.0, width as f64 - 110.0);
    let mut y = 0.0;
    for (mode, bars) in groups {
        let text = Text::new(mode.clone(), (10, y as i32), small.clone());
        root.draw(&text).map_err(failed)?;
        y += step;
        let largest = bars.iter().map(|(_, value)| *value).fold(f64::MIN_POSITIVE, f64::max);
        for (at, (name, value)) in bars.iter().enumerate() {
            let end = left + (right - left) * (value / largest).clamp(0.0, 1.0);
            let corners = [(left as i32, y as i32), (end as i32, (y + step * 0.8) as i32)];
            let colour = COLOURS[at % COLOURS.len()];
            root.draw(&Rectangle::new(corners, colour.filled())).map_err(failed)?;
            let label = Text::new(name.clone(), (24, y as i32), small.clone());
            root.draw(&label).map_err(failed)?;
            let value = Text::new(short(*value), (end as i32 + 6, y as i32), small.clone());
            root.draw(&value).map_err(failed)?;
            y += step;
        }
        y += step;
    }
    Ok(())
}

/// Large figures in thousands, small ones with their decimals.
fn short(value: f64) -> String {
    if value > 0.0 && value < 100.0 { format!("{value:.2}") } else { thousands(value) }
}

/// Lines over a number that is swept by doubling, with the names of the series beside them.
fn draw_lines(root: &Area<'_>, x_axis: &str, series: &[(String, Vec<(f64, f64)>)]) -> Result<()> {
    let points = || series.iter().flat_map(|(_, points)| points);
    let x_max = points().map(|point| point.0).fold(2.0, f64::max);
    let y_max = points().map(|point| point.1).fold(1.0, f64::max);
    let (left, right) = root.split_horizontally(SIZE.0 - NAMES_WIDTH);
    let x_range = (1.0..x_max * 1.05).log_scale().base(2.0);
    let mut chart = ChartBuilder::on(&left)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(x_range, 0.0..y_max * 1.08)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_desc(x_axis)
        .x_label_formatter(&|value| thousands(*value))
        .y_label_formatter(&|value| thousands(*value))
        .draw()
        .map_err(failed)?;
    let text = ("sans-serif", 13).into_font();
    for (at, (name, points)) in series.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
        chart.draw_series(line).map_err(failed)?;
        let dots = points.iter().map(|point| Circle::new(*point, 3, colour.filled()));
        chart.draw_series(dots).map_err(failed)?;
        let y = 24 + 22 * at as i32;
        let sign = Rectangle::new([(4, y), (20, y + 10)], colour.filled());
        right.draw(&sign).map_err(failed)?;
        right.draw(&Text::new(name.clone(), (26, y - 2), text.clone())).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_are_written_as_svg() {
        let dir = tempfile::tempdir().unwrap();
        let bars = vec![("m".to_owned(), vec![("a".to_owned(), 2.0), ("b".to_owned(), 0.0)])];
        let series = vec![("a".to_owned(), vec![(1.0, 10.0), (128.0, 90_000.0)])];
        let shapes = [Shape::Bars(bars), Shape::Lines("connections".to_owned(), series)];
        for shape in shapes {
            let file = dir.path().join("plot.svg");
            Drawing { title: "title".to_owned(), shape }.save(&file).unwrap();
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.starts_with("<svg") && text.contains("title"), "{text}");
        }
    }
}

//! Drawings of results as SVG: bars per contender, lines over a swept number, panels over time,
//! ratios on both sides of 1.
//!
//! Invariants
//! 1. A contender has one colour in every drawing (`contender`), and one that keeps nothing when
//!    its process ends is hollow and says so.
//! 2. All bars of a drawing share one scale, and every axis says its unit.
//!
//! Not here: what is measured (`experiments`), tables for people (`report`).

mod bars;
mod contender;
mod lines;
mod ratios;
mod time;

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::report::{Measurement, Report};
pub use ratios::RatioBar;
pub use time::{Mark, Panel};

/// Width of a drawing in pixels; its height follows from what it shows.
const WIDTH: u32 = 1000;

/// Something to be drawn.
pub struct Drawing {
    title: String,
    shape: Shape,
}

/// The bars of a mode: names and values.
type Group = (String, Vec<(String, f64)>);
/// A contender's points.
type Series = (String, Vec<(f64, f64)>);
/// What a chart shows, and its series.
type Chart = (String, Vec<Series>);

enum Shape {
    /// What is measured, with its unit, and groups (modes), each with its bars.
    Bars(String, Vec<Group>),
    /// What the axes count, and charts of series of points, below each other.
    Lines(String, String, Vec<Chart>),
    /// What the x axis counts, figures below each other, and marks through all of them.
    Time(String, Vec<Panel>, Vec<Mark>),
    /// Ratios on both sides of 1, and what stands below them.
    Ratios(Vec<RatioBar>, String),
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Drawing {
    /// Bars of the medians of a figure, grouped by mode; `unit` says what is counted.
    pub fn bars(report: &Report, unit: &str, figure: fn(&Measurement) -> f64) -> Drawing {
        let group = |mode: String| {
            let bar = |contender: String| {
                let median = report.spread(&mode, &contender, figure).median;
                (contender, median)
            };
            let bars = report.contenders(&mode).into_iter().map(bar).collect();
            (mode, bars)
        };
        let groups = report.modes().into_iter().map(group).collect();
        let title = format!("{}: {unit}", report.experiment);
        Drawing { title, shape: Shape::Bars(unit.to_owned(), groups) }
    }

    /// Lines over a number that is swept; the units are those of the axes.
    pub fn lines(title: &str, x_unit: &str, y_unit: &str, series: Vec<Series>) -> Drawing {
        Self::charts(title, x_unit, y_unit, vec![(String::new(), series)])
    }

    /// The same in several charts below each other, each with a scale of its own.
    pub fn charts(title: &str, x_unit: &str, y_unit: &str, charts: Vec<Chart>) -> Drawing {
        let shape = Shape::Lines(x_unit.to_owned(), y_unit.to_owned(), charts);
        Drawing { title: title.to_owned(), shape }
    }

    /// Figures over time, below each other.
    pub fn over_time(title: &str, x_unit: &str, panels: Vec<Panel>, marks: Vec<Mark>) -> Drawing {
        Drawing { title: title.to_owned(), shape: Shape::Time(x_unit.to_owned(), panels, marks) }
    }

    /// Ratios on both sides of 1, with a note below.
    pub fn ratios(title: &str, bars: Vec<RatioBar>, note: &str) -> Drawing {
        Drawing { title: title.to_owned(), shape: Shape::Ratios(bars, note.to_owned()) }
    }

    /// Writes the file.
    pub fn save(&self, file: &Path) -> Result<()> {
        std::fs::write(file, self.text()?)?;
        Ok(())
    }

    /// The drawing as SVG.
    pub fn text(&self) -> Result<String> {
        let height = match &self.shape {
            Shape::Bars(_, groups) => bars::height(groups),
            Shape::Lines(_, _, charts) => lines::height(charts),
            Shape::Time(_, panels, marks) => time::height(panels, marks),
            Shape::Ratios(bars, _) => ratios::height(bars),
        };
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
            root.fill(&WHITE).map_err(failed)?;
            let root = root.titled(&self.title, ("sans-serif", 20)).map_err(failed)?;
            match &self.shape {
                Shape::Bars(unit, groups) => bars::draw(&root, unit, groups)?,
                Shape::Lines(x_unit, y_unit, charts) => {
                    lines::draw(&root, x_unit, y_unit, charts)?;
                }
                Shape::Time(x_unit, panels, marks) => time::draw(&root, x_unit, panels, marks)?,
                Shape::Ratios(bars, note) => ratios::draw(&root, bars, note)?,
            }
            root.present().map_err(failed)?;
        }
        Ok(text)
    }
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("drawing: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(shape: Shape) -> String {
        let text = Drawing { title: "the title".to_owned(), shape }.text().unwrap();
        assert!(text.starts_with("<svg") && text.contains("the title"), "{text}");
        text
    }

    #[test]
    fn lines_name_both_axes() {
        let series = vec![("redis".to_owned(), vec![(1.0, 10.0), (128.0, 90_000.0)])];
        let units = ["connections", "inserts per second"].map(str::to_owned);
        let [x, y] = units.clone();
        let below = vec![("redis".to_owned(), vec![(0.5, 10.0)])];
        let charts = vec![("one load".to_owned(), series), ("another load".to_owned(), below)];
        let text = drawn(Shape::Lines(x, y, charts));
        assert!(units.iter().all(|unit| text.contains(unit)), "{text}");
        assert!(text.contains("one load") && text.contains("another load"), "{text}");
    }

    #[test]
    fn panels_over_time_have_their_names_and_marks() {
        let panel = Panel {
            name: "resident memory (MiB)".to_owned(),
            limit: Some(512.0),
            points: vec![(0.0, 10.0), (1.0, 20.0)],
            stalls: Vec::new(),
        };
        let mark = Mark { at: 1.0, name: "backups beside".to_owned() };
        let text = drawn(Shape::Time("seconds".to_owned(), vec![panel], vec![mark]));
        for words in ["resident memory (MiB)", "seconds", "backups beside"] {
            assert!(text.contains(words), "{words} in {text}");
        }
    }

    #[test]
    fn stalls_are_shaded_in_their_own_panel() {
        let panel = |stalls: Vec<std::ops::Range<f64>>| Panel {
            name: "rows per second".to_owned(),
            limit: None,
            points: vec![(0.0, 10.0), (9.0, 20.0)],
            stalls,
        };
        let shaded = |panels| {
            let text = drawn(Shape::Time("seconds".to_owned(), panels, Vec::new()));
            text.matches("fill=\"#E67800\"").count()
        };
        assert_eq!(shaded(vec![panel(Vec::new()), panel(Vec::new())]), 0);
        assert_eq!(shaded(vec![panel(vec![1.0..2.0, 5.0..5.0]), panel(Vec::new())]), 2);
    }

    #[test]
    fn bars_of_two_groups_are_no_longer_scaled_each_to_itself() {
        let group = |mode: &str, value| {
            (mode.to_owned(), vec![("redis".to_owned(), value), ("memcached".to_owned(), value)])
        };
        let groups = vec![group("one", 10.0), group("other", 40.0)];
        let text = drawn(Shape::Bars("requests per second".to_owned(), groups));
        assert!(text.contains("requests per second"), "{text}");
        assert!(text.contains("memcached (not durable)"), "{text}");
        // A bar is a filled rectangle in its contender's colour.
        let widths: Vec<f64> = text
            .split("<rect ")
            .filter(|rect| rect.contains(&contender::colour_text("redis")))
            .map(|rect| {
                let width = rect.split("width=\"").nth(1).unwrap().split('"').next().unwrap();
                width.parse().unwrap()
            })
            .collect();
        assert_eq!(widths.len(), 2, "{text}");
        assert!((widths[1] / widths[0] - 4.0).abs() < 0.1, "{widths:?}");
    }
}

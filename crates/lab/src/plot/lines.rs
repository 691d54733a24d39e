//! Lines over a number that is swept by doubling, with the names of the series next to them; charts
//! of several loads below each other.

use anyhow::Result;
use plotters::prelude::*;

use super::{Area, Chart, WIDTH, contender, failed};
use crate::report::thousands;

/// Height of the title and of a chart.
const TITLE: u32 = 30;
const CHART: u32 = 530;
/// Height of a chart among others.
const CHART_OF_MANY: u32 = 300;
/// Room for the names of lines, at the right.
const NAMES_WIDTH: u32 = 260;

/// Height of a drawing of these charts.
pub fn height(charts: &[Chart]) -> u32 {
    TITLE + if charts.len() == 1 { CHART } else { charts.len() as u32 * CHART_OF_MANY }
}

/// Draws them.
pub fn draw(root: &Area<'_>, x_unit: &str, y_unit: &str, charts: &[Chart]) -> Result<()> {
    for (area, chart) in root.split_evenly((charts.len(), 1)).iter().zip(charts) {
        draw_chart(area, x_unit, y_unit, chart)?;
    }
    Ok(())
}

fn draw_chart(root: &Area<'_>, x_unit: &str, y_unit: &str, chart: &Chart) -> Result<()> {
    let (name, series) = chart;
    let points = || series.iter().flat_map(|(_, points)| points);
    let x_min = points().map(|point| point.0).fold(1.0, f64::min);
    let x_max = points().map(|point| point.0).fold(2.0, f64::max);
    let y_max = points().map(|point| point.1).fold(1.0, f64::max);
    let (left, right) = root.split_horizontally(WIDTH - NAMES_WIDTH);
    let x_range = (x_min..x_max * 1.05).log_scale().base(2.0);
    let mut builder = ChartBuilder::on(&left);
    if !name.is_empty() {
        builder.caption(name, ("sans-serif", 15));
    }
    let mut chart = builder
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(72)
        .build_cartesian_2d(x_range, 0.0..y_max * 1.08)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_desc(x_unit)
        .y_desc(y_unit)
        .x_label_formatter(&|value| multiple(*value))
        .y_label_formatter(&|value| thousands(*value))
        .draw()
        .map_err(failed)?;
    let text = ("sans-serif", 13).into_font();
    for (at, (name, points)) in series.iter().enumerate() {
        let colour = contender::colour(name);
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
        chart.draw_series(line).map_err(failed)?;
        let style = match contender::is_durable(name) {
            true => colour.filled(),
            false => colour.stroke_width(1),
        };
        let dots = points.iter().map(|point| Circle::new(*point, 4, style));
        chart.draw_series(dots).map_err(failed)?;
        let y = 24 + 22 * at as i32;
        right.draw(&Rectangle::new([(4, y), (20, y + 10)], style)).map_err(failed)?;
        let label = Text::new(contender::label(name), (26, y - 2), text.clone());
        right.draw(&label).map_err(failed)?;
    }
    Ok(())
}

/// A swept number, which may be a part of one.
fn multiple(value: f64) -> String {
    if value < 1.0 { format!("{value}") } else { thousands(value) }
}

//! Writes the families of one moment in Prometheus' text form, by the crate `prometheus-client`.
//!
//! Not here: which families there are (`families`), HTTP (`door`).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, prometheus_text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::exemplar::Exemplar;
use prometheus_client::registry::Registry;

use super::families::{DURATION, FAMILIES, FamilyKind, Source};
use super::process;
use crate::net::latency::{BOUNDS_MICROS, Distribution};
use crate::net::metrics::Metrics;

/// The text of this moment, from the server's figures and its loops' counters.
///
/// # Errors
/// None but a text that cannot be written, which memory alone may cause.
pub fn text(
    figures: Vec<(String, String)>,
    metrics: Option<&Arc<Metrics>>,
) -> Result<String, fmt::Error> {
    let doors = metrics
        .map(|metrics| metrics.doors.iter().copied().zip(metrics.latencies()).collect::<Vec<_>>());
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Moment {
        figures: figures.into_iter().collect(),
        doors: doors.unwrap_or_default(),
    }));
    let mut text = String::new();
    prometheus_text::encode(&mut text, &registry)?;
    Ok(text)
}

/// What the server said of itself at one moment.
#[derive(Debug)]
struct Moment {
    figures: HashMap<String, String>,
    doors: Vec<(&'static str, Distribution)>,
}

impl Moment {
    fn number(&self, name: &str) -> Option<f64> {
        self.figures.get(name)?.parse().ok()
    }
}

impl Collector for Moment {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for family in FAMILIES {
            let name = format!("rowhouse_{}", family.name);
            let mut metric =
                encoder.encode_descriptor(&name, family.help, None, family.kind.into())?;
            let one = |value: Option<f64>| [(None, value)];
            let values: Vec<(Option<&str>, Option<f64>)> = match family.source {
                Source::Figure(figure) => one(self.number(figure)).into(),
                Source::Micros(figure) => {
                    one(self.number(figure).map(|micros| micros / 1e6)).into()
                }
                Source::EachDoor(figure) => {
                    let of_door =
                        |door: &str| self.number(&format!("{}_{figure}", door.replace('-', "_")));
                    self.doors.iter().map(|(door, _)| (Some(*door), of_door(door))).collect()
                }
            };
            for (door, value) in values {
                let Some(value) = value else { continue };
                match door {
                    Some(door) => {
                        encode_number(
                            &mut metric.encode_family(&[("door", door)])?,
                            family.kind,
                            value,
                        )?;
                    }
                    None => encode_number(&mut metric, family.kind, value)?,
                }
            }
        }
        self.encode_durations(&mut encoder)?;
        let about = "The server's version";
        let version = self.figures.get("version").map_or("", String::as_str);
        let mut metric =
            encoder.encode_descriptor("rowhouse_build_info", about, None, MetricType::Gauge)?;
        metric.encode_family(&[("version", version)])?.encode_gauge(&1.0)?;
        encode_process(&mut encoder)
    }
}

impl Moment {
    fn encode_durations(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let (name, help) = DURATION;
        let name = format!("rowhouse_{name}");
        let mut metric = encoder.encode_descriptor(&name, help, None, MetricType::Histogram)?;
        for (door, distribution) in &self.doors {
            let bounds = BOUNDS_MICROS.iter().map(|micros| *micros as f64 / 1e6);
            let buckets: Vec<(f64, u64)> =
                bounds.chain([f64::INFINITY]).zip(distribution.counts.iter().copied()).collect();
            metric.encode_family(&[("door", *door)])?.encode_histogram(
                distribution.sum_micros as f64 / 1e6,
                distribution.count(),
                &buckets,
                None::<&HashMap<usize, Exemplar<NoLabelSet, f64>>>,
            )?;
        }
        Ok(())
    }
}

fn encode_number(
    metric: &mut MetricEncoder<'_>,
    kind: FamilyKind,
    value: f64,
) -> Result<(), fmt::Error> {
    match kind {
        FamilyKind::Counter => metric.encode_counter::<NoLabelSet, f64, f64>(&value, None),
        FamilyKind::Gauge => metric.encode_gauge(&value),
    }
}

fn encode_process(encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
    for figure in process::figures() {
        let name = format!("process_{}", figure.name);
        let mut metric = encoder.encode_descriptor(&name, figure.help, None, figure.kind.into())?;
        encode_number(&mut metric, figure.kind, figure.value)?;
    }
    Ok(())
}

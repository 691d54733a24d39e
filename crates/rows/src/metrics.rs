//! Figures by name, from the parts that count something to those that show them (SHOW STATUS, the
//! program's `status`).
//!
//! Invariants
//! 1. Nothing is counted here: a source is asked at the moment of the report, so registering one
//!    costs the counting code nothing.
//!
//! Not here: counters (where things happen), how figures are shown.

use parking_lot::Mutex;

type FigureSource = Box<dyn Fn(&mut Vec<(String, String)>) + Send + Sync>;

/// Sources of figures.
#[derive(Default)]
pub struct Metrics {
    sources: Mutex<Vec<FigureSource>>,
}

impl Metrics {
    /// Without sources.
    pub fn new() -> Metrics {
        Metrics::default()
    }

    /// Adds a source, which appends names and values when asked. It must not register others.
    pub fn register(&self, source: impl Fn(&mut Vec<(String, String)>) + Send + Sync + 'static) {
        self.sources.lock().push(Box::new(source));
    }

    /// All figures, in the order of registration: names in lower case, words joined by `_`, and
    /// values. SHOW STATUS puts `Rowhouse_` in front.
    pub fn figures(&self) -> Vec<(String, String)> {
        let mut figures = Vec::new();
        for source in &*self.sources.lock() {
            source(&mut figures);
        }
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_asked_anew() {
        let metrics = Metrics::new();
        let count = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(1));
        let counted = count.clone();
        metrics.register(move |figures| {
            let value = counted.load(std::sync::atomic::Ordering::Relaxed);
            figures.push(("requests".into(), value.to_string()));
        });
        count.store(2, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(metrics.figures(), [("requests".to_owned(), "2".to_owned())]);
    }
}

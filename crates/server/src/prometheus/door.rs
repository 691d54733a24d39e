//! The metrics door: answers `GET /metrics` over HTTP/1.1 with what the server counts.
//!
//! Invariants
//! 1. Figures are gathered where waiting is allowed: some ask the file system.
//! 2. A browser that shows another site's page gets nothing: a request of a page, or one that calls
//!    this server by a name, is refused (DNS rebinding). Scrapers use an address or `localhost`.
//!
//! Not here: which metrics there are (`families`), how they are written (`collector`), HTTP
//! (`crate::http`).

use std::sync::{Arc, OnceLock};

use doors::{Conversation, Input, Next, Turn};

use super::collector;
use crate::http::{self, HttpAnswer, HttpRequest};
use crate::net::metrics::Metrics;

/// Counters of the event loops, once these have started.
pub type Sources = Arc<OnceLock<Arc<Metrics>>>;

/// A scraper's connection.
pub struct MetricsDoor {
    sources: Sources,
}

impl MetricsDoor {
    /// A conversation that shows these counters and the engine's figures.
    pub fn new(sources: Sources) -> MetricsDoor {
        MetricsDoor { sources }
    }

    fn answer(&self, request: &HttpRequest, turn: &Turn<'_>) -> HttpAnswer {
        if !request.is_for_us() || !request.is_of_no_page() {
            let why = "This server is for scrapers, not for pages.\n";
            return HttpAnswer::text("403 Forbidden", why);
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET" | "HEAD", "/metrics") => {
                match collector::text(turn.engine().metrics().figures(), self.sources.get()) {
                    Ok(text) => HttpAnswer::of(METRICS_TYPE, text),
                    Err(error) => {
                        tracing::error!(%error, "the metrics could not be written");
                        HttpAnswer::text("500 Internal Server Error", "See the server's log.\n")
                    }
                }
            }
            ("GET" | "HEAD", _) => {
                HttpAnswer::text("404 Not Found", "The metrics are at /metrics.\n")
            }
            _ => HttpAnswer::text("405 Method Not Allowed", "The metrics are read with GET.\n"),
        }
    }
}

/// What Prometheus' text form is called (prometheus.io/docs/instrumenting/exposition_formats).
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

impl Conversation for MetricsDoor {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        let (request, bytes) = match http::next_request(input, 0, out) {
            Ok(request) => request,
            Err(next) => return next,
        };
        if !turn.may_wait() {
            return Next::Offload;
        }
        input.consume(bytes);
        self.answer(&request, turn).write(out, request.method == "HEAD", request.closes);
        turn.served(1);
        http::after(request.closes, input)
    }

    fn commit_failed(&mut self, _error: &rows::Error, _out: &mut Vec<u8>) {
        // Nothing is ever written here.
    }
}

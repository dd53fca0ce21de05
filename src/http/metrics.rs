//! What the server counts, in the text format of Prometheus.

use std::sync::OnceLock;
use std::time::Duration;

use actix_web::{HttpResponse, get, web};
use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::Context;
use super::error::ApiError;

/// Upper bounds of the latency's buckets, in seconds.
const SECONDS: [f64; 11] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// The counters of this process, however many servers run in it.
fn recorder() -> Result<&'static PrometheusHandle, ApiError> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    RECORDER
        .get_or_init(|| {
            let latency = Matcher::Full("mancala_request_seconds".into());
            let builder = PrometheusBuilder::new().set_buckets_for_metric(latency, &SECONDS);
            builder.ok()?.install_recorder().ok()
        })
        .as_ref()
        .ok_or_else(|| ApiError::Internal("the metrics cannot be recorded".into()))
}

/// Begins to count.
pub fn start() {
    recorder().ok();
}

/// Counts one answered request.
pub(crate) fn request(route: &str, method: &str, status: u16, took: Duration) {
    // A stranger may make methods up; each would be a counter for ever.
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].contains(&method);
    let method = if known { method } else { "other" };
    let labels = [
        ("route", route.to_owned()),
        ("method", method.to_owned()),
        ("status", status.to_string()),
    ];
    counter!("mancala_requests_total", &labels).increment(1);
    histogram!("mancala_request_seconds", &labels[..2]).record(took);
}

/// Counts a choice that became a row, or waits in secret.
pub(crate) fn choice(ruleset: &str, outcome: &'static str) {
    let labels = [
        ("ruleset", ruleset.to_owned()),
        ("outcome", outcome.to_owned()),
    ];
    counter!("mancala_choices_total", &labels).increment(1);
}

/// Counters for Prometheus
#[utoipa::path(tag = "about", operation_id = "getMetrics",
    responses((status = 200, description = "Prometheus' text format", body = String, content_type = "text/plain")))]
#[get("/metrics")]
pub(crate) async fn show(context: web::Data<Context>) -> Result<HttpResponse, ApiError> {
    let recorder = recorder()?;
    if let Ok(pools) = context.pools.lock() {
        let size: u32 = pools.iter().map(|pool| pool.size()).sum();
        let idle: usize = pools.iter().map(|pool| pool.num_idle()).sum();
        gauge!("mancala_pool_connections").set(size);
        gauge!("mancala_pool_idle").set(idle as f64);
    }
    recorder.run_upkeep();
    Ok(HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(recorder.render()))
}

//! What an export takes of the server's memory does not depend on how much it brings.

use std::fs;

use crate::support::database::Database;
use crate::support::exports::generate;
use crate::support::process::Process;
use crate::support::{Api, Ask};

/// The most memory that the process ever had, in bytes.
fn most(process: &Process) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", process.pid())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes * 1024
}

async fn size(api: &Api, path: &str) -> usize {
    let mut answer = api.open(Ask::get(path)).await;
    assert_eq!(answer.status(), 200);
    let mut size = 0;
    while let Some(chunk) = answer.chunk().await.unwrap() {
        size += chunk.len();
    }
    size
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_long_export_takes_no_more_than_a_short_one() {
    let db = Database::new().await;
    generate(&db, 800, 1).await;
    let process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    // What threads, connections and the first batches take.
    for _ in 0..2 {
        for format in ["ndjson", "csv", "parquet"] {
            size(&api, &format!("/v1/export/rows?until=600&format={format}")).await;
        }
    }
    let before = most(&process);
    let mut brought = 0;
    for path in [
        "rows?format=ndjson",
        "rows?format=csv",
        "rows?format=ndjson",
        "games",
    ] {
        brought += size(&api, &format!("/v1/export/{path}")).await;
    }
    size(&api, "/v1/export/rows?format=parquet").await;
    let more = most(&process) - before;
    assert!(brought > 80_000_000, "{brought}");
    assert!(more < 48_000_000, "{more} more for {brought}");
}

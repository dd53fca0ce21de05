//! PostgreSQL's own pgbench, on statements of the server.

use std::path::{Path, PathBuf};
use std::process::Command;

use sqlx::PgConnection;

use super::place::Place;

type Failed = Box<dyn std::error::Error>;

/// A script with values for what it leaves open.
pub(super) struct Script {
    program: PathBuf,
    /// Where files may be written.
    dir: PathBuf,
    path: PathBuf,
    values: Vec<String>,
    url: String,
}

impl Script {
    /// `sql` on the database.
    pub(super) async fn new(
        place: &Place,
        db: &mut PgConnection,
        url: &str,
        (name, sql): (&str, &str),
        values: &[(&str, &str)],
    ) -> Result<Script, Failed> {
        let place_of_programs = "select setting from pg_config where name = 'BINDIR'";
        let bin: String = sqlx::query_scalar(place_of_programs).fetch_one(db).await?;
        let program = Path::new(&bin).join("pgbench");
        if !program.exists() {
            return Err(format!("there is no {}: install it", program.display()).into());
        }
        let path = place.file(name);
        std::fs::write(&path, sql)?;
        let values = values
            .iter()
            .map(|(name, value)| format!("-D{name}={value}"));
        Ok(Script {
            program,
            dir: place.file(""),
            path,
            values: values.collect(),
            url: url.to_owned(),
        })
    }

    /// So many clients run it again and again; the milliseconds that each transaction
    /// took.
    pub(super) async fn run(&self, clients: u64, seconds: u64) -> Result<Vec<f64>, Failed> {
        let log = self.dir.join("transactions");
        let mut command = Command::new(&self.program);
        command
            .args([
                "-n",
                "-M",
                "prepared",
                "-j",
                "1",
                "-c",
                &clients.to_string(),
            ])
            .args(["-T", &seconds.to_string(), "-l", "--log-prefix"])
            .arg(&log)
            .args(&self.values)
            .arg("-f")
            .arg(&self.path)
            .arg(&self.url)
            // As the server's connections have it, but for the time limits of a request.
            .env("PGOPTIONS", "-c TimeZone=UTC")
            .current_dir(&self.dir);
        let ran = tokio::task::spawn_blocking(move || command.output()).await??;
        if !ran.status.success() {
            return Err(format!("pgbench: {}", String::from_utf8_lossy(&ran.stderr)).into());
        }
        let mut took = Vec::new();
        for file in std::fs::read_dir(&self.dir)? {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("transactions") {
                // client, transaction, microseconds, …
                let lines = std::fs::read_to_string(&path)?;
                let times = lines.lines().filter_map(|line| line.split(' ').nth(2));
                took.extend(
                    times
                        .filter_map(|time| time.parse::<f64>().ok())
                        .map(|us| us / 1000.0),
                );
                std::fs::remove_file(&path)?;
            }
        }
        Ok(took)
    }
}

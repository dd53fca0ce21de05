//! What stands beside the tables of a data set: what it is, what its columns mean, how
//! it may be used and cited, and what proves that it is whole.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use mancala_rules::preset;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::parts::Counts;
use super::{Failed, LICENSE, at, files};
use crate::export::{Table, dictionary};
use crate::record::columns::VERSION;

const CC0: &str = include_str!("CC0-1.0.txt");
const POSITION: &str = include_str!("../../../docs/position.md");

/// Writes them, the sums last.
pub(super) fn write(
    dir: &Path,
    name: &str,
    until: i64,
    license: &str,
    counts: &Counts,
) -> Result<(), Failed> {
    let save = |file: &str, text: &str| {
        let path = dir.join(file);
        at(&path, fs::write(&path, text))
    };
    let tables = sums(dir)?;
    save("README.md", &readme(name, until, license, counts))?;
    save("data-dictionary.md", &dictionary::page())?;
    save("position.md", POSITION)?;
    save("counts.json", &pretty(&counts.json(until)))?;
    save("rulesets.json", &pretty(&rulesets(counts)))?;
    save("CITATION.cff", &citation(name, until, license, counts))?;
    save("LICENSE", &license_text(license))?;
    for table in Table::ALL {
        let file = format!("{}.schema.json", table.as_str());
        save(&file, &pretty(&dictionary::table_schema(table)))?;
    }
    let package = package(name, until, license, counts, &tables);
    save("datapackage.json", &pretty(&package))?;
    let lines = sums(dir)?.into_iter();
    let lines = lines.map(|sum| format!("{}  {}\n", sum.sha256, sum.path));
    save("SHA256SUMS", &lines.collect::<String>())
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// A file with its sum.
struct Sum {
    /// In the data set.
    path: String,
    bytes: u64,
    sha256: String,
}

/// All files there are so far.
fn sums(dir: &Path) -> Result<Vec<Sum>, Failed> {
    let sum = |path: &Path| {
        let mut digest = Sha256::new();
        let mut file = at(path, File::open(path))?;
        let (mut bytes, mut piece) = (0, vec![0; 1 << 16]);
        loop {
            let length = at(path, file.read(&mut piece))?;
            if length == 0 {
                break;
            }
            digest.update(&piece[..length]);
            bytes += length as u64;
        }
        let mut sha256 = String::new();
        for byte in digest.finalize() {
            let _ = write!(sha256, "{byte:02x}");
        }
        let path = path.strip_prefix(dir).unwrap_or(path);
        let path = path.to_string_lossy().into_owned();
        Ok(Sum {
            path,
            bytes,
            sha256,
        })
    };
    files(dir)?.iter().map(|path| sum(path)).collect()
}

fn license_text(license: &str) -> String {
    match license {
        LICENSE => CC0.to_owned(),
        other => format!(
            "This data set is licensed under {other}:\nhttps://spdx.org/licenses/{other}.html\n"
        ),
    }
}

/// Under which rules the games were played.
fn rulesets(counts: &Counts) -> Value {
    let revision = |((ruleset, revision), games): (&(String, u32), &u64)| {
        let preset = preset(ruleset).filter(|preset| preset.revision == *revision);
        let parameters = preset.and_then(|preset| preset.rules(&serde_json::Map::new()).ok());
        json!({
            "ruleset": ruleset,
            "revision": revision,
            "games": games,
            "parameters": parameters.map(|rules| rules.to_json()),
        })
    };
    json!({ "rulesets": counts.revisions.iter().map(revision).collect::<Vec<_>>() })
}

/// A data package as Frictionless Data describes it.
fn package(name: &str, until: i64, license: &str, counts: &Counts, tables: &[Sum]) -> Value {
    let resource = |sum: &Sum| {
        let mut parts = sum.path.trim_end_matches(".parquet").split('/');
        let table = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        json!({
            "name": format!("{table}-{}", rest.join("-")),
            "path": sum.path,
            "format": "parquet",
            "mediatype": "application/vnd.apache.parquet",
            "bytes": sum.bytes,
            "hash": format!("sha256:{}", sum.sha256),
            "schema": format!("{table}.schema.json"),
        })
    };
    json!({
        "profile": "data-package",
        "name": format!("mancala-post-{name}"),
        "title": title(until),
        "version": name,
        "description": format!("{} games of congkak and al-manqala with every move", counts.games()),
        "licenses": [{ "name": license, "path": format!("https://spdx.org/licenses/{license}.html") }],
        "until": until,
        "columns": VERSION,
        "games": counts.games(),
        "rows": counts.rows(),
        "resources": tables.iter().map(resource).collect::<Vec<_>>(),
    })
}

fn title(until: i64) -> String {
    format!("Games of congkak and al-manqala up to record {until}")
}

fn citation(name: &str, until: i64, license: &str, counts: &Counts) -> String {
    let released = counts.ended.map_or(String::new(), |(_, last)| {
        format!("date-released: {}\n", last.format("%Y-%m-%d"))
    });
    format!(
        "cff-version: 1.2.0\n\
         message: If you use this data set, please cite it.\n\
         type: dataset\n\
         title: {}\n\
         version: {name}\n\
         {released}license: {license}\n\
         authors:\n  - name: The players of a mancala-post server\n\
         keywords:\n  - mancala\n  - congkak\n  - al-manqala\n  - board games\n",
        title(until)
    )
}

fn readme(name: &str, until: i64, license: &str, counts: &Counts) -> String {
    let mut page = format!(
        "# {}\n\n\
         Data set `{name}`: all finished public games of a mancala-post server whose `record_no` \
         is at most {until}, with every row of their logs. {} games, {} rows",
        title(until),
        counts.games(),
        counts.rows(),
    );
    if let Some((first, last)) = counts.ended {
        let day = "%Y-%m-%d";
        let _ = write!(
            page,
            "; they ended from {} to {}",
            first.format(day),
            last.format(day)
        );
    }
    let _ = write!(
        page,
        ".\n\n\
         | file | what it is |\n\
         |---|---|\n\
         | `games/RULESET/MONTH.parquet` | a line a game, by the month (UTC) in which it ended |\n\
         | `rows/RULESET/MONTH.parquet` | a line a row of the log of these games, **also what was taken back** |\n\
         | `data-dictionary.md` | every column: type, unit, meaning |\n\
         | `position.md` | how to read a position |\n\
         | `games.schema.json`, `rows.schema.json` | the same as Table Schema |\n\
         | `datapackage.json` | the files for programs (Frictionless Data) |\n\
         | `counts.json` | games, rows, results and reasons by ruleset and month |\n\
         | `rulesets.json` | the rulesets and revisions that were played |\n\
         | `CITATION.cff` | how to cite it |\n\
         | `LICENSE` | {license} |\n\
         | `SHA256SUMS` | `sha256sum -c SHA256SUMS` proves that it is whole |\n\n\
         `record_no` joins games and rows. The choices that led to the end, with DuckDB:\n\n\
         ```sql\n\
         select * from 'rows/*/*.parquet'\n\
         where kind = 'sow' and not taken_back order by record_no, ply;\n\
         ```\n\n\
         Players have pseudonyms (`p_…`), the same in all games of one server. There are no \
         messages in it, no names that somebody chose on this server, and no private games. \
         Imported games keep the names that their records gave.\n\n\
         The same server writes the same bytes for the same `record_no` and program version \
         ({}).\n\n\
         | ruleset | month | games | rows |\n\
         |---|---|---|---|\n",
        env!("CARGO_PKG_VERSION"),
    );
    for ((ruleset, month), count) in &counts.parts {
        let _ = writeln!(
            page,
            "| {ruleset} | {month} | {} | {} |",
            count.games, count.rows
        );
    }
    page
}

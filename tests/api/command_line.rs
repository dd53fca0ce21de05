//! The program on the command line: its help, what it prints, how it ends, and the
//! one line it says when it cannot work.

use std::net::TcpListener;
use std::path::Path;
use std::process::Output;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::support::database::Database;
use crate::support::process::{Process, program, run};
use crate::support::{Api, Ask, Game, Server};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// It failed with exit code 1 and said why in one line that names all of `words`.
fn failed(output: &Output, words: &[&str]) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(text(&output.stdout), "");
    let line = said.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "one line: {said}");
    assert!(line.starts_with("mancala-post: "), "{said}");
    for word in words {
        assert!(line.contains(word), "{word}: {said}");
    }
}

#[test]
fn help_names_every_setting() {
    let help = program(&["--help"]).output().unwrap();
    assert!(help.status.success());
    let help = text(&help.stdout);
    let settings = [
        "MANCALA_BIND",
        "DATABASE_URL",
        "MANCALA_DATA_DIR",
        "MANCALA_PUBLIC_URL",
        "MANCALA_DB_POOL",
        "MANCALA_LOG_FORMAT",
        "RUST_LOG",
        "PG_BIN",
    ];
    for setting in settings {
        assert!(help.contains(setting), "{setting} is not in\n{help}");
    }
    for command in ["serve", "migrate", "openapi", "verify"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
    }
    // Every variable that the sources read is in it.
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config.rs");
    let config = std::fs::read_to_string(config).unwrap();
    let read: Vec<&str> = config
        .split("env = \"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(read.len() >= settings.len());
    for setting in read {
        assert!(help.contains(setting), "{setting} is not in\n{help}");
    }
    let version = program(&["--version"]).output().unwrap();
    let expected = format!("mancala-post {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&version.stdout), expected);
}

#[test]
fn an_unknown_argument_is_refused() {
    for arguments in [
        &["--colour"][..],
        &["paint"],
        &["--db-pool", "0"],
        &["verify", "--game", "7"],
    ] {
        let output = program(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("--help") || text(&output.stderr).contains("error"));
    }
}

/// The committed document is what the program prints; what it serves differs in
/// `servers` alone.
#[tokio::test]
async fn the_committed_document_is_the_served_one() {
    let printed = program(&["openapi"]).output().unwrap();
    assert!(printed.status.success());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi/openapi.json");
    let committed = std::fs::read(path).unwrap();
    let hint = "write it anew: cargo run -- openapi > openapi/openapi.json";
    assert!(printed.stdout == committed, "{hint}");

    let server = Server::start().await;
    let mut served = server.api.get("/openapi.json").await.expect(200);
    let servers = served.as_object_mut().unwrap().remove("servers");
    assert_eq!(servers.unwrap()[0]["url"], server.url);
    let committed: Value = serde_json::from_slice(&committed).unwrap();
    assert_eq!(served, committed);
    assert_eq!(committed["openapi"], "3.1.0");
    assert_eq!(
        committed["info"]["license"]["identifier"],
        "MIT OR Apache-2.0"
    );
}

/// Every operation has a name, a text, an example where a body is sent, and only
/// documented schemas.
#[tokio::test]
async fn the_document_is_whole() {
    let server = Server::start().await;
    let document = server.api.get("/openapi.json").await.expect(200);
    let mut names = std::collections::BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let at = format!("{method} {path}");
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_owned()), "{at}: {name} is taken");
            assert!(
                operation["summary"].as_str().is_some_and(|s| !s.is_empty()),
                "{at}"
            );
            assert!(operation["tags"].is_array(), "{at}");
            let responses = operation["responses"].as_object().unwrap();
            assert!(
                responses.keys().any(|status| status.starts_with('2')),
                "{at}"
            );
            for (status, response) in responses {
                let error = status.starts_with(['4', '5']);
                let schema = &response["content"]["application/problem+json"]["schema"]["$ref"];
                assert_eq!(
                    error,
                    schema == "#/components/schemas/Problem",
                    "{at} {status}"
                );
            }
            for parameter in path.split('{').skip(1) {
                let parameter = parameter.split('}').next().unwrap();
                let listed = operation["parameters"].as_array().unwrap();
                assert!(
                    listed
                        .iter()
                        .any(|p| p["name"] == parameter && p["in"] == "path"),
                    "{at}"
                );
            }
        }
    }
    // Every reference leads somewhere.
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}

#[tokio::test]
async fn a_taken_port() {
    let db = Database::new().await;
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    failed(
        &run(&db.url(), &["--bind", &address]),
        &[&address, "in use"],
    );
    failed(&run(&db.url(), &["--bind", "nonsense"]), &["nonsense"]);
}

#[test]
fn an_unreachable_database() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    drop(taken);
    let url = format!("postgres://somebody:hush@{address}/nothing");
    for arguments in [&[][..], &["migrate"], &["verify"]] {
        let output = run(&url, arguments);
        failed(&output, &["cannot reach the database", &address]);
        assert!(!text(&output.stderr).contains("hush"));
    }
    for url in ["mysql://localhost/x", "nonsense", "postgres://host:port/x"] {
        failed(&run(url, &[]), &["DATABASE_URL is not a PostgreSQL URL"]);
    }
}

/// A file where a directory has to be: that stops root as well.
#[test]
fn an_unwritable_directory() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml/data");
    let file = file.to_str().unwrap();
    let output = program(&["--data-dir", file, "--bind", "127.0.0.1:0"]).output();
    failed(&output.unwrap(), &[file]);
}

#[tokio::test]
async fn a_schema_that_is_newer() {
    let db = Database::new().await;
    let newer = "insert into _sqlx_migrations \
                 (version, description, success, checksum, execution_time) \
                 values (9999, 'contract since 9999 the future', true, '\\x00', 0)";
    db.execute(newer).await;
    for arguments in [&["--bind", "127.0.0.1:0"][..], &["migrate"], &["verify"]] {
        failed(
            &run(&db.url(), arguments),
            &["newer than this program", "9999"],
        );
    }
}

#[tokio::test]
async fn migrations_can_be_applied_again() {
    let db = Database::new().await;
    for _ in 0..2 {
        let output = run(&db.url(), &["migrate"]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(text(&output.stdout), "the schema is up to date\n");
    }
}

/// It says where everything is, and ends well by either signal.
#[tokio::test]
async fn signals() {
    let db = Database::new().await;
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut process = Process::start(&db.url());
        for part in ["/v1/rulesets\n", "/docs/\n", "(DATABASE_URL)\n"] {
            assert!(process.said.contains(part), "{}", process.said);
        }
        let api = Api::new(&process.url).await;
        Game::of(&api, "congkak").await;
        assert_eq!(process.end_by(signal).code(), Some(0));
        assert!(process.log().contains("stopping"));
        api.try_ask(Ask::get("/healthz")).await.unwrap_err();
    }
}

#[tokio::test]
async fn settings_come_from_the_environment() {
    let db = Database::new().await;
    let settings = [
        ("MANCALA_PUBLIC_URL", "https://mancala.example.org/play/"),
        ("MANCALA_LOG_FORMAT", "json"),
    ];
    let mut process = Process::start_behind(&db.url(), &settings);
    // Links lead to where clients reach it, whatever it listens on.
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak").await;
    let url = format!("https://mancala.example.org/play{}", game.path);
    assert_eq!(game.state().await["url"], url);
    let problem = api.get("/v1/games/7").await.problem(400, "bad_request");
    assert_eq!(
        problem["type"],
        "https://mancala.example.org/play/problems/bad_request"
    );
    assert!(process.end_by(Signal::SIGTERM).success());
    for line in process.log().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(
            line["timestamp"].is_string() && line["level"].is_string(),
            "{line}"
        );
    }
}

/// The cause of a failure stands in the log, under the request's id.
#[tokio::test]
async fn the_log_has_the_cause_of_a_failure() {
    let db = Database::new().await;
    let mut process = Process::start(&db.url());
    let api = Api::new(&process.url).await;
    let game = Game::of(&api, "congkak").await;
    db.execute("update games set position = 'nonsense'").await;
    let problem = game.anyone.get(&game.path).await.problem(500, "internal");
    let id = problem["request_id"].as_str().unwrap();
    assert!(!problem.to_string().contains("nonsense"));
    assert!(process.end_by(Signal::SIGTERM).success());
    let log = process.log();
    let line = log.lines().find(|line| line.contains("ERROR")).unwrap();
    assert!(line.contains(id), "{line}");
    assert!(
        line.contains("nonsense") || line.contains("position"),
        "{line}"
    );
}

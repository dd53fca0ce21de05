//! The guides for authors of clients, bots and receivers of webhooks, taken at their
//! word: every `sh` block of a page is run, in one bash, against a server of its own,
//! and what it prints is compared with the block that follows it. `console` blocks need
//! more than a server, and are run by the tests of the bots, `tests/bots`.
//!
//! White space does not count; `…` stands for anything; ids, tokens, times and the
//! server's address for any of their kind.

use std::fs::{self, Permissions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use regex::Regex;

/// Commands, and what they shall print.
struct Example {
    line: usize,
    commands: String,
    shown: Option<String>,
}

/// The fenced blocks of the guide.
fn examples(guide: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = guide.lines().enumerate();
    let mut follows = false;
    while let Some((number, line)) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            follows = false;
            continue;
        };
        let mut body = String::new();
        for (_, line) in lines.by_ref().take_while(|(_, line)| *line != "```") {
            body.push_str(line);
            body.push('\n');
        }
        if kind == "console" {
            follows = false;
            continue;
        }
        match examples.last_mut() {
            Some(example) if follows && kind != "sh" => example.shown = Some(body),
            _ if kind == "sh" => examples.push(Example {
                line: number + 1,
                commands: body,
                shown: None,
            }),
            // To be looked at; tests/clients runs the receivers, which need more than cargo.
            _ if matches!(kind, "http" | "python" | "js") => {}
            _ => panic!("line {}: what prints this?", number + 1),
        }
        follows = kind == "sh";
    }
    examples
}

/// A server with a database of its own, gone with it.
struct Server {
    process: Child,
    dir: PathBuf,
    url: String,
}

impl Server {
    fn start(page: &str) -> Server {
        let name = format!("mancala-{page}-{}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(&dir).expect("a directory for temporary files");
        // PostgreSQL's own account must be able to enter, if this runs as root.
        fs::set_permissions(&dir, Permissions::from_mode(0o755)).expect("it is ours");
        let mut process = Command::new(env!("CARGO_BIN_EXE_mancala-post"))
            .args([
                "--bind",
                "127.0.0.1:0",
                "--rate-limit",
                "600",
                "--log",
                "warn",
            ])
            .arg("--data-dir")
            .arg(dir.join("data"))
            .env_remove("DATABASE_URL")
            .env_remove("DATABASE_URL_FILE")
            .env_remove("MANCALA_PUBLIC_URL")
            .env("MANCALA_WEBHOOK_PRIVATE", "true")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let out = BufReader::new(process.stdout.take().expect("it is piped"));
        let url = out.lines().map_while(Result::ok).find_map(|line| {
            let url = line
                .strip_prefix("API")?
                .trim()
                .strip_suffix("/v1/rulesets")?;
            Some(url.to_owned())
        });
        let mut server = Server {
            process,
            dir,
            url: String::new(),
        };
        server.url = url.expect("it says where it listens");
        server
    }

    /// Runs the commands; what each prints, as far as they came.
    fn run(&self, examples: &[Example]) -> Vec<String> {
        const MARK: &str = "\u{1e}";
        let mut script = String::from("set -eu\n");
        for example in examples {
            script.push_str(&example.commands);
            script.push_str(&format!("printf '{MARK}'\n"));
        }
        let ran = Command::new("bash")
            .arg("-c")
            .arg(script)
            .current_dir(&self.dir)
            .env("API", &self.url)
            .env("RECEIVER", receiver())
            .stderr(Stdio::inherit())
            .output()
            .expect("bash runs");
        let out = String::from_utf8(ran.stdout).expect("text");
        let mut printed: Vec<_> = out.split(MARK).map(ToOwned::to_owned).collect();
        let rest = printed.pop().unwrap_or_default();
        if !ran.status.success() {
            let line = examples[printed.len()].line;
            panic!("line {line}: the commands failed ({})\n{rest}", ran.status);
        }
        printed
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = kill(Pid::from_raw(self.process.id() as i32), Signal::SIGTERM);
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Where webhooks may lead: it takes every message, until the tests are over.
fn receiver() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it has one");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut read = BufReader::new(&stream);
            let mut length = 0;
            let mut line = String::new();
            while read.read_line(&mut line).is_ok_and(|_| line.trim() != "") {
                let field = line
                    .split_once(": ")
                    .filter(|(n, _)| *n == "content-length");
                length = field.map_or(length, |(_, n)| n.trim().parse().expect("a number"));
                line.clear();
            }
            if io::copy(&mut read.take(length), &mut io::sink()).is_ok() {
                let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
            }
        }
    });
    format!("http://{address}/mancala")
}

/// Without white space, and with a word in place of whatever differs by its nature.
fn plain(text: &str) -> String {
    let kinds = [
        (r"\s+", ""),
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID"),
        (r"mp_[A-Za-z0-9_-]{32}", "TOKEN"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME"),
        (r"http://127\.0\.0\.1:\d+", "SERVER"),
    ];
    kinds.iter().fold(text.to_owned(), |text, (pattern, word)| {
        let pattern = Regex::new(pattern).expect("a pattern");
        pattern.replace_all(&text, *word).into_owned()
    })
}

/// The part of `shown` that is not in `printed` where it should be.
fn difference<'a>(shown: &'a str, printed: &str) -> Option<&'a str> {
    let parts: Vec<&str> = shown.split('…').collect();
    let Some(mut rest) = printed.strip_prefix(parts[0]) else {
        return Some(parts[0]);
    };
    for part in &parts[1..] {
        let Some(at) = rest.find(part) else {
            return Some(part);
        };
        rest = &rest[at + part.len()..];
    }
    let last = parts[parts.len() - 1];
    let ends = if parts.len() == 1 {
        rest.is_empty()
    } else {
        printed.ends_with(last)
    };
    (!ends).then_some(last)
}

/// Runs a page below `docs`, which has more than `least` examples.
fn is_true(page: &str, least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{page}.md"));
    let examples = examples(&fs::read_to_string(path).expect("the page"));
    let printed = Server::start(page).run(&examples);
    assert!(examples.len() > least && printed.len() == examples.len());
    for (example, printed) in examples.iter().zip(&printed) {
        let shown = example.shown.as_deref().unwrap_or_default();
        if let Some(part) = difference(&plain(shown), &plain(printed)) {
            panic!(
                "docs/{page}.md:{}: not as shown: {part}\n--- printed\n{printed}",
                example.line
            );
        }
    }
}

#[test]
fn the_guide_is_true() {
    is_true("api-guide", 15);
}

#[test]
fn the_page_for_bots_is_true() {
    is_true("chat-bots", 8);
}

#[test]
fn the_page_about_webhooks_is_true() {
    is_true("webhooks", 4);
}

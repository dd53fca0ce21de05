//! The program itself: started, signalled, killed, and read what it says.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A running server of its own process. Killed when dropped.
pub(crate) struct Process {
    child: Child,
    /// Where it is.
    pub(crate) url: String,
    /// What it said on standard output before it was ready.
    pub(crate) said: String,
    /// Collects standard error until its end.
    log: Option<JoinHandle<String>>,
}

/// The program with nothing of the surroundings that would change what it does.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mancala-post"));
    for (name, _) in std::env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("MANCALA_") || ["DATABASE_URL", "RUST_LOG"].contains(&&*name_text)
        {
            command.env_remove(name);
        }
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs the program to its end on a database.
pub(crate) fn run(database_url: &str, arguments: &[&str]) -> Output {
    program(arguments)
        .env("DATABASE_URL", database_url)
        .output()
        .unwrap()
}

impl Process {
    /// A server on this database and a free port.
    pub(crate) fn start(database_url: &str) -> Process {
        Process::start_with(database_url, &[])
    }

    /// The same with further environment.
    pub(crate) fn start_with(database_url: &str, environment: &[(&str, &str)]) -> Process {
        let mut process = Process::launch(database_url, "127.0.0.1:0", environment);
        let url = process.said.lines().find_map(|line| {
            let address = line.strip_prefix("API ")?.trim();
            address.strip_suffix("/v1/rulesets").map(str::to_owned)
        });
        process.url = url.unwrap_or_else(|| panic!("no address in {}", process.said));
        process
    }

    /// One that is told to say another address than the one it listens on.
    pub(crate) fn start_behind(database_url: &str, environment: &[(&str, &str)]) -> Process {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let bind = free.local_addr().unwrap().to_string();
        drop(free);
        let mut process = Process::launch(database_url, &bind, environment);
        process.url = format!("http://{bind}");
        process
    }

    fn launch(database_url: &str, bind: &str, environment: &[(&str, &str)]) -> Process {
        let mut child = program(&["--bind", bind])
            .env("DATABASE_URL", database_url)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut log = Vec::new();
            stderr.read_to_end(&mut log).unwrap();
            String::from_utf8(log).unwrap()
        });
        let mut said = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        while !said.contains("\ndata ") || !said.ends_with('\n') {
            if stdout.read_line(&mut said).unwrap() == 0 {
                child.wait().unwrap();
                panic!("the server did not start: {said}{}", log.join().unwrap());
            }
        }
        Process {
            child,
            url: String::new(),
            said,
            log: Some(log),
        }
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal and waits for the end.
    pub(crate) fn end_by(&mut self, signal: Signal) -> ExitStatus {
        let pid = Pid::from_raw(self.child.id().cast_signed());
        kill(pid, signal).unwrap();
        self.child.wait().unwrap()
    }

    /// What the ended process has written to standard error.
    pub(crate) fn log(&mut self) -> String {
        self.log.take().unwrap().join().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended before; then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

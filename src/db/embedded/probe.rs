//! Is PostgreSQL ready? Asked by connecting, in the few messages of its protocol that
//! this takes: the packages with the server need not bring `psql` or `pg_isready`, and
//! an answer takes no process of its own.
//!
//! Source: PostgreSQL documentation, "Frontend/Backend Protocol", message formats, and
//! "PostgreSQL Error Codes". Everything else talks to the database through sqlx.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use super::NAME;
use super::error::EmbeddedError;
use super::paths::socket_name;

/// Version 3.0 of the protocol, which every supported server speaks.
const PROTOCOL: i32 = 3 << 16;

/// A process that is stopped or swamped accepts and never answers.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// No message of a start is longer: more is not PostgreSQL speaking.
const LONGEST_MESSAGE: usize = 1 << 16;

const CANNOT_CONNECT_NOW: &str = "57P03";
const TOO_MANY_CONNECTIONS: &str = "53300";
const INVALID_CATALOG_NAME: &str = "3D000";

/// Where a PostgreSQL listens.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) socket_dir: PathBuf,
    pub(super) port: u16,
}

/// What PostgreSQL says to a connection.
#[derive(Debug)]
pub(super) enum Answer {
    /// Come in.
    Ready,
    /// Ready, but our database is missing: a new cluster, or someone dropped it.
    NoDatabase,
    /// It is starting, recovering or shutting down.
    NotYet,
    /// It will not have us.
    Refused(String),
    /// Nobody answers.
    Silent,
}

enum Failure {
    Io,
    /// It reads only, while it replays a backup's log.
    Recovering,
    Server {
        code: String,
        message: String,
    },
}

impl From<io::Error> for Failure {
    fn from(_: io::Error) -> Failure {
        Failure::Io
    }
}

/// Knocks once.
pub(super) fn ask(address: &Address) -> Answer {
    match connect(address, NAME) {
        Ok(_) => Answer::Ready,
        Err(Failure::Io) => Answer::Silent,
        Err(Failure::Recovering) => Answer::NotYet,
        Err(Failure::Server { code, message }) => match code.as_str() {
            CANNOT_CONNECT_NOW => Answer::NotYet,
            // It serves others; ours will get their turn.
            TOO_MANY_CONNECTIONS => Answer::Ready,
            INVALID_CATALOG_NAME => Answer::NoDatabase,
            _ => Answer::Refused(message),
        },
    }
}

/// Makes our database. From `template0`, because nobody can be connected to that one,
/// which would make it fail.
pub(super) fn create_database(address: &Address) -> Result<(), EmbeddedError> {
    let statement = format!("create database {NAME} template template0\0");
    let made = connect(address, "postgres").and_then(|mut stream| {
        send(&mut stream, Some(b'Q'), statement.as_bytes())?;
        wait_for_ready(&mut stream)
    });
    made.map_err(|failure| EmbeddedError::Refused {
        message: match failure {
            Failure::Io => format!("it broke off while making the database {NAME}"),
            Failure::Recovering => "it is recovering".to_owned(),
            Failure::Server { message, .. } => message,
        },
    })
}

/// Opens a session. Dropping the stream ends it.
fn connect(address: &Address, database: &str) -> Result<UnixStream, Failure> {
    let mut stream = UnixStream::connect(address.socket_dir.join(socket_name(address.port)))?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    stream.set_write_timeout(Some(ANSWER_LIMIT))?;
    let mut startup = PROTOCOL.to_be_bytes().to_vec();
    startup.extend(format!("user\0{NAME}\0database\0{database}\0\0").bytes());
    send(&mut stream, None, &startup)?;
    wait_for_ready(&mut stream)?;
    Ok(stream)
}

/// A message: its kind (the first of a session has none), its length, its body.
fn send(stream: &mut UnixStream, kind: Option<u8>, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len() + 4).map_err(io::Error::other)?;
    let mut message: Vec<u8> = kind.into_iter().collect();
    message.extend(length.to_be_bytes());
    message.extend(body);
    stream.write_all(&message)
}

/// Reads up to "ready for query", or to an error, which then ends the session.
fn wait_for_ready(stream: &mut UnixStream) -> Result<(), Failure> {
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let [kind, length @ ..] = head;
        let length = u32::from_be_bytes(length) as usize;
        if !(4..=LONGEST_MESSAGE).contains(&length) {
            return Err(Failure::Io);
        }
        let mut body = vec![0; length - 4];
        stream.read_exact(&mut body)?;
        match kind {
            b'Z' => return Ok(()),
            b'E' => {
                return Err(Failure::Server {
                    code: field(&body, b'C'),
                    message: field(&body, b'M'),
                });
            }
            b'S' if body.starts_with(b"in_hot_standby\0on\0") => return Err(Failure::Recovering),
            b'R' if body != [0; 4] => {
                return Err(Failure::Server {
                    code: String::new(),
                    message: "it asks for a password; its pg_hba.conf has been changed".to_owned(),
                });
            }
            _ => {}
        }
    }
}

/// One field of an error: each is a byte that names it and a text that ends in zero.
fn field(body: &[u8], name: u8) -> String {
    body.split(|&byte| byte == 0)
        .find_map(|field| field.strip_prefix(&[name]))
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .unwrap_or_default()
}

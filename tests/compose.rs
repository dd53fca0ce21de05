//! The container files, as far as they can be held against the program without a
//! container: settings, secrets, ports, health checks, what the image is made of.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mancala-post");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|cause| panic!("{path}: {cause}"))
}

fn compose() -> Value {
    serde_saphyr::from_str(&text("docker-compose.yml")).expect("docker-compose.yml is YAML")
}

fn service(name: &str) -> Value {
    compose()["services"][name].clone()
}

/// The instructions of the Dockerfile, a line each.
fn dockerfile() -> Vec<String> {
    let joined = text("Dockerfile").replace("\\\n", " ");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    joined
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(words)
        .collect()
}

fn instruction(name: &str) -> Vec<String> {
    let lines = dockerfile().into_iter();
    lines
        .filter_map(|line| Some(line.strip_prefix(name)?.trim_start().to_owned()))
        .collect()
}

fn help() -> String {
    let shown = Command::new(PROGRAM)
        .arg("--help")
        .output()
        .expect("it runs");
    String::from_utf8(shown.stdout).expect("text")
}

/// The names of settings in the environment that `--help` lists.
fn settings() -> BTreeSet<String> {
    let help = help();
    let names = help.split("[env: ").skip(1);
    names
        .map(|rest| rest.split(['=', ']']).next().unwrap_or_default().to_owned())
        .collect()
}

fn words(list: &Value) -> Vec<&str> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).collect()
}

/// A value as it is when nothing is set: `${NAME:-default}` is its default.
fn by_default(value: &str) -> String {
    let mut value = value.to_owned();
    // The innermost first.
    while let Some(start) = value.rfind("${") {
        let length = value[start..].find('}').expect("it is closed");
        let (_, default) = value[start..start + length]
            .split_once(":-")
            .expect("a default");
        let default = default.to_owned();
        value.replace_range(start..=start + length, &default);
    }
    value
}

fn environment(service: &Value) -> Vec<(String, String)> {
    let fields = service["environment"].as_object().expect("a map");
    fields
        .iter()
        .map(|(name, value)| (name.clone(), by_default(value.as_str().expect("text"))))
        .collect()
}

fn get(environment: &[(String, String)], name: &str) -> String {
    let found = environment.iter().find(|(found, _)| found == name);
    found.unwrap_or_else(|| panic!("no {name}")).1.clone()
}

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("mancala-{name}-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("a directory for temporary files");
    dir
}

#[test]
fn every_variable_is_a_setting_with_a_value_the_program_takes() {
    let settings = settings();
    assert!(
        settings.contains("MANCALA_BIND") && settings.len() > 8,
        "{settings:?}"
    );
    let mut given = environment(&service("server"));
    for line in instruction("ENV") {
        let pairs = line.split(' ').filter_map(|pair| pair.split_once('='));
        given.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    for (name, _) in &given {
        assert!(settings.contains(name), "{name} is no setting");
    }
    // What is commented out, for people to fill in.
    for line in text("docker-compose.yml").lines() {
        if let Some(setting) = line.strip_prefix("      # MANCALA_")
            && let Some((name, _)) = setting.split_once(": ")
        {
            let name = &format!("MANCALA_{name}");
            assert!(settings.contains(name), "{name} is no setting");
        }
    }
    let ran = Command::new(PROGRAM)
        .arg("openapi")
        .env_clear()
        .envs(given)
        .output()
        .expect("it runs");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

#[test]
fn the_secrets_are_made_as_the_head_says_and_fit_the_services() {
    let dir = scratch("secrets");
    fs::copy(
        root().join("docker-compose.yml"),
        dir.join("docker-compose.yml"),
    )
    .expect("a copy");
    // As the workflow does it: so the comment is the only place.
    let workflow = text(".github/workflows/docker.yml");
    let command = workflow
        .lines()
        .find_map(|line| line.trim().strip_prefix("run: eval "))
        .expect("the workflow makes the secrets");
    let ran = Command::new("bash")
        .args(["-euc", &format!("eval {command}")])
        .current_dir(&dir)
        .output()
        .expect("bash runs");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );

    let (server, database) = (service("server"), service("database"));
    let secret = |service: &Value, variable: &str| {
        let path = get(&environment(service), variable);
        let name = path
            .strip_prefix("/run/secrets/")
            .expect("a secret's path")
            .to_owned();
        assert!(
            words(&service["secrets"]).contains(&name.as_str()),
            "{name} is not given"
        );
        let file = compose()["secrets"][&name]["file"]
            .as_str()
            .expect("a file")
            .to_owned();
        fs::read_to_string(dir.join(&file)).unwrap_or_else(|cause| panic!("{file}: {cause}"))
    };
    let password = secret(&database, "POSTGRES_PASSWORD_FILE");
    let url = secret(&server, "DATABASE_URL_FILE");
    fs::remove_dir_all(&dir).expect("it is ours");
    assert!(password.len() >= 40 && password.chars().all(|c| c.is_ascii_alphanumeric()));
    let database = environment(&database);
    let user = get(&database, "POSTGRES_USER");
    let name = get(&database, "POSTGRES_DB");
    assert_eq!(url, format!("postgres://{user}:{password}@database/{name}"));
    assert!(text(".gitignore").lines().any(|line| line == "/secrets"));
}

#[test]
fn ports_and_health_checks_name_what_is_there() {
    let server = service("server");
    let bind = get(&environment(&server), "MANCALA_BIND");
    let port = bind
        .strip_prefix("0.0.0.0:")
        .expect("every address, within the container");
    let ports = words(&server["ports"]);
    let ports: Vec<_> = ports.into_iter().map(by_default).collect();
    assert_eq!(ports, [format!("127.0.0.1:8080:{port}")]);
    assert_eq!(instruction("EXPOSE"), [port]);

    let program = instruction("ENTRYPOINT").remove(0);
    let program: Vec<String> = serde_json::from_str(&program).expect("a list");
    let copied = format!(
        "COPY --from=build /build/target/dist/mancala-post {}",
        program[0]
    );
    assert!(dockerfile().contains(&copied), "{copied}");
    let check = words(&server["healthcheck"]["test"]).join(" ");
    assert_eq!(check, format!("CMD {} health", program[0]));
    let check = instruction("HEALTHCHECK").remove(0);
    assert!(
        check.ends_with(&format!("CMD [\"{}\", \"health\"]", program[0])),
        "{check}"
    );
    assert!(
        help()
            .lines()
            .any(|line| line.trim().starts_with("health "))
    );

    let database = environment(&service("database"));
    let check = words(&service("database")["healthcheck"]["test"]).join(" ");
    let user = format!("--username={}", get(&database, "POSTGRES_USER"));
    assert!(
        check.starts_with("CMD pg_isready ") && check.contains(&user),
        "{check}"
    );
    let waits = &server["depends_on"]["database"]["condition"];
    assert_eq!(waits, "service_healthy");
}

#[test]
fn both_services_are_locked_down_and_come_back() {
    for name in ["server", "database"] {
        let service = service(name);
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(words(&service["cap_drop"]), ["ALL"], "{name}");
        assert_eq!(
            words(&service["security_opt"]),
            ["no-new-privileges:true"],
            "{name}"
        );
        assert_eq!(service["restart"], "unless-stopped", "{name}");
    }
    let database = service("database");
    let volume = words(&database["volumes"]).join(" ");
    let (volume, _) = volume.split_once(':').expect("a volume and its place");
    let volumes = compose()["volumes"].as_object().expect("a map").clone();
    assert!(volumes.contains_key(volume), "{volume}");
    assert_eq!(database["image"], "postgres:17");
    assert_eq!(database["user"], "postgres");
    assert!(
        instruction("USER")
            .iter()
            .all(|user| !user.starts_with("root"))
    );
    assert_eq!(instruction("USER").len(), 1);
}

#[test]
fn the_image_is_made_of_what_is_here() {
    let ignored = text(".dockerignore");
    let let_in: Vec<_> = ignored
        .lines()
        .filter_map(|line| line.strip_prefix('!'))
        .collect();
    for line in instruction("COPY") {
        if line.starts_with("--from") {
            continue;
        }
        let mut sources: Vec<_> = line.split(' ').collect();
        sources.pop();
        for source in sources {
            assert!(root().join(source).exists(), "{source} is not here");
            assert!(
                let_in.iter().any(|dir| Path::new(source).starts_with(dir)),
                "{source} is ignored"
            );
        }
    }
    let manifest = text("Cargo.toml");
    for line in instruction("RUN") {
        let (_, build) = line.split_once("cargo build ").expect("every step builds");
        assert!(build.contains("--locked"), "{build}");
        let profile = build
            .split("--profile ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        let profile = profile.expect("a profile");
        assert!(
            manifest.contains(&format!("[profile.{profile}]")),
            "{profile}"
        );
    }
    let number = |text: &str| -> Vec<u32> {
        let text = text
            .trim_matches('"')
            .split(['-', ' '])
            .next()
            .unwrap_or_default()
            .to_owned();
        text.split('.')
            .filter_map(|part| part.parse().ok())
            .collect()
    };
    let needed = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "));
    let image = instruction("FROM rust:").remove(0);
    assert!(
        number(&image) >= number(needed.expect("a version")),
        "{image}"
    );
}

fn health(arguments: &[&str], bind: &str) -> Output {
    Command::new(PROGRAM)
        .arg("health")
        .args(arguments)
        .env("MANCALA_BIND", bind)
        .output()
        .expect("it runs")
}

/// Answers one request; returns its first line.
fn answers(listener: TcpListener, status: &'static str) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody asks");
        let mut request = [0; 512];
        let length = stream.read(&mut request).expect("a request");
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").expect("an answer");
        let request = String::from_utf8_lossy(&request[..length]).into_owned();
        request.lines().next().unwrap_or_default().to_owned()
    })
}

#[test]
fn health_is_what_the_server_says() {
    let listen = || {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it listens").port();
        (listener, port)
    };
    let (listener, port) = listen();
    let server = answers(listener, "200 OK");
    let healthy = health(&[], &format!("0.0.0.0:{port}"));
    assert!(
        healthy.status.success(),
        "{}",
        String::from_utf8_lossy(&healthy.stderr)
    );
    assert_eq!(server.join().expect("it answered"), "GET /healthz HTTP/1.1");

    let (listener, port) = listen();
    let server = answers(listener, "503 Service Unavailable");
    let url = format!("http://localhost:{port}/readyz?x=1");
    let ill = health(&["--url", &url], "0.0.0.0:0");
    assert_eq!(ill.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ill.stderr).contains("503"));
    assert_eq!(
        server.join().expect("it answered"),
        "GET /readyz?x=1 HTTP/1.1"
    );

    let (listener, port) = listen();
    drop(listener);
    let gone = health(&[], &format!("127.0.0.1:{port}"));
    assert_eq!(gone.status.code(), Some(1));
    assert_eq!(
        health(&["--url", "https://localhost"], "x").status.code(),
        Some(1)
    );
}

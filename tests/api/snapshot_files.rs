//! Data sets over HTTP: the list, whole files, parts of them, and nothing else.

use serde_json::json;

use crate::support::raw::send;
use crate::support::snapshots::Shelf;
use crate::support::{Ask, Server};

#[tokio::test]
async fn every_file_is_served_as_it_is() {
    let shelf = Shelf::new();
    let server = shelf.server().await;
    let api = &server.api;
    assert_eq!(
        api.get("/v1/snapshots").await.expect(200),
        json!({ "items": [] })
    );
    let older = shelf.filled(&server.db).await;
    crate::support::exports::generate(&server.db, 1, 9).await;
    let newer = shelf.write(&server.db, None).await.name;

    let list = api.get("/v1/snapshots").await.expect(200);
    let items = list["items"].as_array().unwrap();
    let names: Vec<_> = items
        .iter()
        .map(|item| item["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, [&newer, &older]);
    for item in items {
        let files = shelf.files(item["name"].as_str().unwrap());
        let listed = item["files"].as_array().unwrap();
        assert_eq!(listed.len(), files.len());
        let mut sum = 0;
        for file in listed {
            let bytes = &files[file["path"].as_str().unwrap()];
            let url = file["url"].as_str().unwrap();
            let path = url.strip_prefix(&server.url).unwrap();
            let answer = api.get(path).await;
            answer.is(200);
            assert!(answer.body == *bytes, "{path}");
            assert_eq!(answer.header("accept-ranges"), "bytes");
            assert_eq!(answer.header("content-length"), bytes.len().to_string());
            assert!(answer.header("cache-control").contains("immutable"));
            assert_ne!(answer.header("last-modified"), "");
            if let Some(sum) = file["sha256"].as_str() {
                assert_eq!(answer.header("etag"), format!("\"{sum}\""));
            }
            // A file with a name by its bytes is sent as these bytes.
            let ask = Ask::get(path).header("accept-encoding", "gzip");
            assert!(api.ask(ask).await.body == *bytes);
            let known = Ask::get(path).header("if-none-match", answer.header("etag"));
            api.ask(known).await.is(304);
            let head = api.ask(Ask::new("HEAD", path)).await;
            assert_eq!(head.header("content-length"), bytes.len().to_string());
            sum += bytes.len();
        }
        assert_eq!(item["bytes"], sum);
        assert_eq!(
            (&item["columns"], &item["license"]),
            (&json!(1), &json!("CC0-1.0"))
        );
    }
    assert_eq!(
        (&items[0]["until"], &items[1]["until"]),
        (&json!(15), &json!(10))
    );
}

#[tokio::test]
async fn parts_of_a_file_make_the_whole() {
    let shelf = Shelf::new();
    let server = shelf.server().await;
    let name = shelf.filled(&server.db).await;
    let path = format!("/v1/snapshots/{name}/rows/congkak/2000-01.parquet");
    let whole = server.api.get(&path).await;
    let (bytes, size) = (&whole.body, whole.body.len());
    let part = async |range: &str, more: &[(&str, &str)]| {
        let mut ask = Ask::get(&path).header("range", range);
        for (name, value) in more {
            ask = ask.header(name, value);
        }
        server.api.ask(ask).await
    };
    let last = size - 1;
    for (range, start, end) in [
        ("bytes=0-0".to_owned(), 0, 0),
        ("bytes=0-99".to_owned(), 0, 99),
        ("bytes=100-".to_owned(), 100, last),
        ("bytes=-8".to_owned(), size - 8, last),
        (format!("bytes=7-{}", size * 2), 7, last),
        (format!("bytes=-{}", size * 2), 0, last),
    ] {
        let answer = part(&range, &[]).await;
        answer.is(206);
        let said = format!("bytes {start}-{end}/{size}");
        assert_eq!(answer.header("content-range"), said, "{range}");
        assert!(answer.body == bytes[start..=end], "{range}");
        assert_eq!(
            answer.header("content-length"),
            answer.body.len().to_string()
        );
    }
    let mut joined = Vec::new();
    while joined.len() < size {
        let range = format!("bytes={}-{}", joined.len(), joined.len() + 999);
        joined.extend(part(&range, &[]).await.body);
    }
    assert!(joined == *bytes);
    // Of the file that is known: the part; of another one: all of this one.
    let (tag, date) = (whole.header("etag"), whole.header("last-modified"));
    for (known, status) in [
        (tag, 206),
        (date, 206),
        ("\"other\"", 200),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 200),
    ] {
        let answer = part("bytes=1-2", &[("if-range", known)]).await;
        answer.is(status);
        assert_eq!(answer.body.len(), if status == 206 { 2 } else { size });
    }
    // What is no range is as if it were not there; several may be answered with all.
    for range in [
        "bytes=x-y",
        "lines=0-1",
        "bytes=5-2",
        "bytes=0-1,3-4",
        "bytes=",
    ] {
        let answer = part(range, &[]).await;
        assert!(
            answer.status == 200 && answer.body == *bytes,
            "{range}: {}",
            answer.status
        );
    }
    for range in [
        format!("bytes={size}-"),
        format!("bytes={}-{}", size + 5, size + 9),
    ] {
        let answer = part(&range, &[]).await;
        assert_eq!(answer.header("content-range"), format!("bytes */{size}"));
        answer.problem(416, "range_not_satisfiable");
    }
}

/// Spellings of ways out of the shelf, and of what is not finished.
#[tokio::test]
async fn nothing_else_is_served() {
    let shelf = Shelf::new();
    let server = shelf.server().await;
    let name = shelf.filled(&server.db).await;
    std::fs::write(shelf.dir.join("secret.md"), "of the operator").unwrap();
    std::fs::write(shelf.dir.join(&name).join("unlisted.md"), "of the operator").unwrap();
    let whole = shelf.dir.join(&name);
    let making = shelf.dir.join(format!(".{name}.making"));
    std::fs::create_dir(&making).unwrap();
    for file in ["README.md", "SHA256SUMS", "datapackage.json"] {
        std::fs::copy(whole.join(file), making.join(file)).unwrap();
    }
    std::fs::create_dir(shelf.dir.join("empty")).unwrap();
    for path in [
        format!("/v1/snapshots/{name}/unlisted.md"),
        format!("/v1/snapshots/{name}/secret.md"),
        format!("/v1/snapshots/{name}/games"),
        format!("/v1/snapshots/{name}/.."),
        format!("/v1/snapshots/{name}/../secret.md"),
        format!("/v1/snapshots/{name}/..%2Fsecret.md"),
        format!("/v1/snapshots/{name}/%2e%2e%2fsecret.md"),
        format!("/v1/snapshots/{name}/..%5Csecret.md"),
        format!("/v1/snapshots/{name}/..%252Fsecret.md"),
        format!("/v1/snapshots/{name}/%2e%2e/secret.md"),
        format!("/v1/snapshots/{name}/games/../README.md"),
        format!("/v1/snapshots/{name}/games/congkak/..%2F..%2FREADME.md"),
        format!("/v1/snapshots/{name}/games/congkak/../../README.md"),
        format!("/v1/snapshots/{name}/%2Fetc%2Fpasswd"),
        format!("/v1/snapshots/{name}//etc/passwd"),
        format!("/v1/snapshots/{name}/games/congkak/2000-01.parquet%00.md"),
        format!("/v1/snapshots/{name}/README.md/"),
        format!("/v1/snapshots/{name}/readme.md"),
        format!("/v1/snapshots/.{name}.making/README.md"),
        format!("/v1/snapshots/./{name}/README.md"),
        "/v1/snapshots/../secret.md".into(),
        "/v1/snapshots/..%2F/secret.md".into(),
        "/v1/snapshots/%2e/secret.md".into(),
        "/v1/snapshots/empty/README.md".into(),
        "/v1/snapshots/empty/SHA256SUMS".into(),
        format!("/v1/snapshots/{}/README.md", "x".repeat(3000)),
    ] {
        // As it stands: no client that tidies the path up before.
        let answer = send(&server.api, &format!("GET {path}"), "", b"").await;
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer}");
        assert!(!answer.text().contains("of the operator"), "{path}");
    }
    let list = server.api.get("/v1/snapshots").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 1);

    // Without a place there are none.
    let server = Server::start().await;
    let path = format!("/v1/snapshots/{name}/README.md");
    server.api.get(&path).await.problem(404, "not_found");
    let list = server.api.get("/v1/snapshots").await.expect(200);
    assert_eq!(list, json!({ "items": [] }));
}

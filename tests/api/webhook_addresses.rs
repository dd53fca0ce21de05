//! Where messages may go: to the public internet, and to the very address that was
//! looked at; over TLS that is checked.

use std::sync::Arc;
use std::time::Duration;

use mancala_post::notify::webhooks::sender::{Message, Sender};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::support::follow::{game_of, player, step};
use crate::support::receiver::{Receiver, log, send_all, subscribe, worker};
use crate::support::{Ask, Server};

const NOWHERE: &str = "the name leads to no address of the public internet";

/// A name that leads to this machine, and whatever got into the database: refused
/// when the message is to be sent, and nobody is called.
#[tokio::test]
async fn checked_after_the_name_is_resolved() {
    let server = Server::start().await;
    let mut worker = worker(&server.db, &server.url);
    worker.sender = Sender::new(false).unwrap();
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let literal = "the URL leads to an address that is not of the public internet";
    for (url, error) in [
        (format!("https://localhost:{port}/"), NOWHERE),
        (format!("https://LOCALHOST:{port}/?x"), NOWHERE),
        (format!("https://127.0.0.1:{port}/"), literal),
        (format!("https://[::ffff:127.0.0.1]:{port}/"), literal),
        (
            format!("http://localhost:{port}/"),
            "the URL must begin with https://",
        ),
    ] {
        let (webhook, _) = subscribe(&ana, "https://example.org/", json!({})).await;
        let id = webhook.rsplit('/').next().unwrap();
        let set = format!("update webhooks set url = '{url}' where webhook_id = '{id}'");
        assert_eq!(server.db.execute(&set).await, 1);
        game_of(&ana, &bo, json!({ "ruleset": "al-manqala" })).await;
        assert_eq!(send_all(&server.db, &worker).await, 1);
        let entries = log(&ana, &webhook).await;
        assert_eq!(entries[0]["last_attempt"]["error"], error, "{url}");
        assert_eq!(entries[0]["status"], "pending");
        let outcome = ana.call(&format!("{webhook}/test")).await.expect(200);
        assert_eq!(outcome["error"], error);
        ana.ask(Ask::new("DELETE", &webhook)).await.expect(204);
    }
    let nobody = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(nobody.is_err());
    // The name itself may be given: what it leads to may change.
    subscribe(&ana, "https://localhost/", json!({})).await;
}

/// With the setting, names and addresses of this machine are good.
#[tokio::test]
async fn where_everybody_is_trusted() {
    let server = crate::support::receiver::server().await;
    let worker = worker(&server.db, &server.url);
    let (ana, bo) = (
        player(&server.api, "ana").await,
        player(&server.api, "bo").await,
    );
    let receiver = Receiver::start(&[]).await;
    let named = receiver.url.replace("127.0.0.1", "localhost");
    let decimal = receiver.url.replace("127.0.0.1", "2130706433");
    subscribe(&ana, &named, json!({ "events": ["move.played"] })).await;
    let (second, _) = subscribe(&ana, &decimal, json!({ "events": ["move.played"] })).await;
    assert_eq!(ana.get(&second).await.expect(200)["url"], receiver.url);
    let game = game_of(&ana, &bo, json!({ "ruleset": "al-manqala" })).await;
    step(&game).await;
    assert_eq!(send_all(&server.db, &worker).await, 2);
    let mut hosts: Vec<_> = receiver
        .seen()
        .iter()
        .map(|m| m.header("host").to_owned())
        .collect();
    hosts.sort();
    let port = receiver
        .url
        .rsplit(':')
        .next()
        .unwrap()
        .trim_end_matches("/hook");
    assert_eq!(
        hosts,
        [format!("127.0.0.1:{port}"), format!("localhost:{port}")]
    );
}

/// Certificates are checked, against the name and an authority.
#[tokio::test]
async fn over_tls() {
    let certificate = include_bytes!("support/tls/localhost.der").as_slice();
    let key = include_bytes!("support/tls/localhost.key.der").as_slice();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(certificate)],
            PrivateKeyDer::try_from(key).unwrap(),
        )
        .unwrap();
    let receiver = Receiver::behind(Some(TlsAcceptor::from(Arc::new(config)))).await;
    let port = receiver
        .url
        .rsplit(':')
        .next()
        .unwrap()
        .trim_end_matches("/hook");
    let message = |host: &str| Message {
        url: format!("https://{host}:{port}/hook"),
        id: "1.7".into(),
        timestamp: 1_649_367_553,
        signature: "v1,x".into(),
        body: "{}".into(),
    };
    let mut roots = RootCertStore::empty();
    let authority = include_bytes!("support/tls/authority.der").as_slice();
    roots.add(CertificateDer::from(authority)).unwrap();
    let trusting = Sender::trusting(true, roots).unwrap();
    let outcome = trusting.send(&message("localhost")).await;
    assert_eq!((outcome.status, outcome.error), (Some(200), None));
    assert_eq!(receiver.seen()[0].id(), "1.7");
    // The certificate is another host's; and of an authority that nobody knows.
    let usual = Sender::new(true).unwrap();
    for (sender, host) in [(&trusting, "127.0.0.1"), (&usual, "localhost")] {
        let outcome = sender.send(&message(host)).await;
        let error = outcome.error.unwrap();
        assert!(
            error.starts_with("TLS: invalid peer certificate"),
            "{error}"
        );
    }
    assert_eq!(receiver.seen().len(), 1);
}

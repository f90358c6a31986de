//! Who gets in: users, tokens, TLS with a private authority. No secret is ever shown.

// A skipped test should not look like one that passed.
#![allow(clippy::print_stderr)]

mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use common::{Server, connect, quick};
use tablero_cluster::{Access, Cluster, ClusterError};

#[test]
#[ignore = "other tests start it"]
fn worker_process() {
    common::be_a_worker_process();
}

fn problem(url: &str) -> String {
    let error = connect(url, &quick()).err().expect("an error");
    assert!(matches!(error, ClusterError::Denied { .. }), "{error:?}");
    error.to_string()
}

#[test]
fn users_have_passwords() {
    let Some(server) = Server::with("user", &["--user", "ana", "--pass", "s#cret"]) else { return };
    let host = format!("127.0.0.1:{}", server.port);
    assert!(connect(&format!("nats://ana:s%23cret@{host}"), &quick()).is_ok());
    for wrong in [format!("nats://ana:hidden@{host}"), format!("nats://{host}")] {
        let problem = problem(&wrong);
        assert!(problem.contains("does not let us in") && !problem.contains("hidden"), "{problem}");
    }
}

#[test]
fn tokens_open_too() {
    let Some(server) = Server::with("token", &["--auth", "t0ken"]) else { return };
    let host = format!("127.0.0.1:{}", server.port);
    assert!(connect(&format!("nats://t0ken@{host}"), &quick()).is_ok());
    assert!(!problem(&format!("nats://hidden@{host}")).contains("hidden"));
}

#[test]
fn a_private_authority_is_trusted_when_named() {
    let keys = common::folder("tls-keys");
    if !make_keys(&keys) {
        eprintln!("skipped: there is no openssl");
        return;
    }
    let path = |name: &str| keys.join(name).to_string_lossy().into_owned();
    let (certificate, key) = (path("server.pem"), path("server.key"));
    let arguments = ["--tls", "--tlscert", &certificate, "--tlskey", &key];
    let Some(server) = Server::with("tls", &arguments) else { return };
    let url = format!("tls://localhost:{}", server.port);
    let with_ca = |name: Option<&str>| {
        let mut access = Access::new(&url).unwrap();
        access.ca = name.map(|name| keys.join(name));
        Cluster::connect(&access, quick(), Arc::new(|_: &str| {}))
    };
    assert!(with_ca(Some("ca.pem")).is_ok());
    let stranger = with_ca(None).err().expect("not trusted").to_string();
    assert!(stranger.contains("cannot reach tls://localhost"), "{stranger}");
    let missing = with_ca(Some("no.pem")).err().expect("no file").to_string();
    assert!(missing.contains("there is no file"), "{missing}");
}

/// An authority, and a server that it vouches for.
fn make_keys(folder: &Path) -> bool {
    let openssl = |arguments: &str| {
        let arguments = arguments.split(' ');
        Command::new("openssl").args(arguments).current_dir(folder).output()
    };
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1").unwrap();
    let steps = [
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=authority \
         -keyout ca.key -out ca.pem",
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
         -keyout server.key -out server.csr",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
         -extfile names -out server.pem",
    ];
    steps.iter().all(|step| match openssl(step) {
        Err(_) => false,
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
    })
}

#[test]
fn what_is_not_there_is_said() {
    let error = connect("nats://127.0.0.1:1", &quick()).err().expect("nobody is there").to_string();
    assert!(error.contains("cannot reach nats://127.0.0.1:1"), "{error}");
    assert!(error.contains("is nats-server running"), "{error}");
}

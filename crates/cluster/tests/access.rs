//! Authentication: users, tokens, TLS with a private CA. No message contains a secret.

// Tells a skipped test from a passed one.
#![allow(clippy::print_stderr)]

mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use common::{Server, connect, short_ack_wait};
use tablero_cluster::{Access, Cluster, ClusterError};

#[test]
#[ignore = "started by other tests"]
fn worker_process() {
    common::run_worker_process();
}

fn denial(url: &str) -> String {
    let error = connect(url, &short_ack_wait()).err().expect("an error");
    assert!(matches!(error, ClusterError::AccessDenied { .. }), "{error:?}");
    error.to_string()
}

#[test]
fn a_user_needs_the_password() {
    let Some(server) = Server::with("user", &["--user", "ana", "--pass", "s#cret"]) else { return };
    let host = format!("127.0.0.1:{}", server.port);
    assert!(connect(&format!("nats://ana:s%23cret@{host}"), &short_ack_wait()).is_ok());
    for wrong in [format!("nats://ana:hidden@{host}"), format!("nats://{host}")] {
        let denial = denial(&wrong);
        assert!(denial.contains("denied access") && !denial.contains("hidden"), "{denial}");
    }
}

#[test]
fn a_token_authenticates() {
    let Some(server) = Server::with("token", &["--auth", "t0ken"]) else { return };
    let host = format!("127.0.0.1:{}", server.port);
    assert!(connect(&format!("nats://t0ken@{host}"), &short_ack_wait()).is_ok());
    assert!(!denial(&format!("nats://hidden@{host}")).contains("hidden"));
}

#[test]
fn a_private_ca_is_trusted_if_given() {
    let keys = common::folder("tls-keys");
    if !make_keys(&keys) {
        eprintln!("skipped: openssl is not installed");
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
        Cluster::connect(&access, short_ack_wait(), Arc::new(|_: &str| {}))
    };
    assert!(with_ca(Some("ca.pem")).is_ok());
    let untrusted = with_ca(None).err().expect("not trusted").to_string();
    assert!(untrusted.contains("cannot reach tls://localhost"), "{untrusted}");
    let missing = with_ca(Some("no.pem")).err().expect("no file").to_string();
    assert!(missing.contains("no such file"), "{missing}");
}

/// A CA, and a server certificate signed by it; `false` without openssl.
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
fn an_unreachable_server_is_named() {
    let error =
        connect("nats://127.0.0.1:1", &short_ack_wait()).err().expect("unreachable").to_string();
    assert!(error.contains("cannot reach nats://127.0.0.1:1"), "{error}");
    assert!(error.contains("is nats-server running"), "{error}");
}

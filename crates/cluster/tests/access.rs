//! Authentication: users, tokens, TLS with a private CA. No message contains a secret.

mod common;

use std::sync::Arc;

use common::server::make_keys;
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
    assert!(untrusted.contains("certificate of tls://localhost"), "{untrusted}");
    assert!(untrusted.contains("UnknownIssuer") && untrusted.contains("--nats-ca"), "{untrusted}");
    let not_pem = with_ca(Some("names")).err().expect("no certificate").to_string();
    assert!(not_pem.contains("no certificate in"), "{not_pem}");
    let missing = with_ca(Some("no.pem")).err().expect("no file").to_string();
    assert!(missing.contains("cannot read") && missing.contains("no.pem"), "{missing}");
}

#[test]
fn an_unreachable_server_is_named() {
    let error =
        connect("nats://127.0.0.1:1", &short_ack_wait()).err().expect("unreachable").to_string();
    assert!(error.contains("cannot reach nats://127.0.0.1:1"), "{error}");
    assert!(error.contains("is nats-server running"), "{error}");
}

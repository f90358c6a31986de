//! The page's types are made from `web/openapi.json`; it must say what the server does.

use std::fs;
use std::path::Path;

/// Write the file anew with `UPDATE=1 cargo test -p tablero-server --test openapi`.
#[test]
fn the_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/openapi.json");
    let document = tablero_server::openapi();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &document).expect("web/openapi.json can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == document,
        "web/openapi.json is old: UPDATE=1 cargo test -p tablero-server --test openapi"
    );
}

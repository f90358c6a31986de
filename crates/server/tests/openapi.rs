//! `web/openapi.json`, from which the page's types are generated, must be up to date.

use std::fs;
use std::path::Path;

/// Regenerate it with `UPDATE=1 cargo test -p tablero-server --test openapi`.
#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/openapi.json");
    let document = tablero_server::openapi();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &document).expect("web/openapi.json can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == document,
        "web/openapi.json is outdated: UPDATE=1 cargo test -p tablero-server --test openapi"
    );
}

//! Rebuilds the crate when the page was rebuilt.

use std::fs;
use std::path::Path;

fn main() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    // A missing path would count as changed every time; if it cannot be created, so be it.
    let _ = fs::create_dir_all(&page);
    println!("cargo:rerun-if-changed={}", page.display());
    println!("cargo:rerun-if-changed=build.rs");
}

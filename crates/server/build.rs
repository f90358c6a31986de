//! Compiles the crate again when the page was built again.

use std::fs;
use std::path::Path;

fn main() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    // A path that is missing would count as changed every time. If it cannot be made, it is just that.
    let _ = fs::create_dir_all(&page);
    println!("cargo:rerun-if-changed={}", page.display());
    println!("cargo:rerun-if-changed=build.rs");
}

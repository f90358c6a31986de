//! Tells the program which commit it is built from.

use std::process::Command;

fn main() {
    // A fixed length: git's own choice grows with the repository, and two clones would be two builds.
    let commit = git(&["describe", "--always", "--dirty", "--exclude=*", "--abbrev=10"]);
    let commit = commit.unwrap_or_default();
    let date = git(&["show", "-s", "--format=%cs", "HEAD"]).unwrap_or_default();
    println!("cargo:rustc-env=TABLERO_COMMIT={commit}");
    println!("cargo:rustc-env=TABLERO_COMMIT_DATE={date}");
    // HEAD names a branch; the reflog changes with every commit and checkout.
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
}

/// What git prints; none without git or outside a repository.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

//! The choice between the builds of a package, and the hand-over to another program.

#[path = "../src/builds.rs"]
mod builds;
mod common;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use builds::{HandOverError, better_build, execute, hand_over};
use common::directory;

/// Processors by the levels they support.
const OLD: &[&str] = &[];
const HASWELL: &[&str] = &["x86-64-v3"];
const SKYLAKE_SERVER: &[&str] = &["x86-64-v3", "x86-64-v4"];

/// A package with builds for `levels`.
struct Package(PathBuf);

impl Package {
    fn new(name: &str, levels: &[&str]) -> Self {
        let package = Self(directory(name).canonicalize().expect("a directory"));
        write(&package.program());
        levels.iter().for_each(|level| write(&package.build(level)));
        package
    }

    fn program(&self) -> PathBuf {
        self.0.join("bin/tablero")
    }

    fn build(&self, level: &str) -> PathBuf {
        self.0.join("lib/tablero").join(level).join("tablero")
    }

    /// What the program hands over to on a processor.
    fn choice(&self, max_level: &str, processor: &[&str]) -> Option<PathBuf> {
        let supports = |level: &str| processor.contains(&level);
        better_build(&self.program(), OsStr::new(max_level), supports).expect("a level")
    }
}

fn write(path: &Path) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, "").expect("a file");
}

#[test]
fn the_best_build_that_the_processor_supports_runs() {
    let package = Package::new("builds-all", &["x86-64-v3", "x86-64-v4"]);
    assert_eq!(package.choice("", OLD), None);
    assert_eq!(package.choice("", HASWELL), Some(package.build("x86-64-v3")));
    assert_eq!(package.choice("", SKYLAKE_SERVER), Some(package.build("x86-64-v4")));
}

#[test]
fn a_missing_build_is_passed_over() {
    let without_v4 = Package::new("builds-v3", &["x86-64-v3"]);
    assert_eq!(without_v4.choice("", SKYLAKE_SERVER), Some(without_v4.build("x86-64-v3")));
    let program_only = Package::new("builds-none", &[]);
    assert_eq!(program_only.choice("", SKYLAKE_SERVER), None);
}

#[test]
fn the_environment_limits_the_level() {
    let package = Package::new("builds-limit", &["x86-64-v3", "x86-64-v4"]);
    assert_eq!(package.choice("x86-64", SKYLAKE_SERVER), None);
    assert_eq!(package.choice("x86-64-v3", SKYLAKE_SERVER), Some(package.build("x86-64-v3")));
    assert_eq!(package.choice("x86-64-v4", HASWELL), Some(package.build("x86-64-v3")));
    let problem = better_build(&package.program(), OsStr::new("v3"), |_| true).unwrap_err();
    let expected = "TABLERO_CPU=v3 is not a level; use one of x86-64-v4, x86-64-v3, x86-64";
    assert_eq!(problem.to_string(), expected);
}

#[cfg(unix)]
#[test]
fn a_link_to_the_program_itself_is_not_followed() {
    let package = Package::new("builds-link", &["x86-64-v3"]);
    let link = package.build("x86-64-v4");
    fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
    std::os::unix::fs::symlink(package.program(), &link).expect("a link");
    assert_eq!(package.choice("", SKYLAKE_SERVER), Some(package.build("x86-64-v3")));
}

#[test]
fn a_build_outside_a_package_runs_itself() {
    hand_over().expect("no other build");
    let problem = execute("/no/such/program".into());
    assert!(matches!(problem, HandOverError::NotStarted(..)), "{problem}");
    assert!(problem.to_string().ends_with("using the portable build"), "{problem}");
}

/// Not a test: the process that the next test replaces by another program.
#[test]
#[ignore = "run by hand_over_keeps_process_arguments_and_status"]
fn replaced_process() {
    if let Some(program) = std::env::var_os("TABLERO_TEST_PROGRAM") {
        panic!("{}", execute(program.into()));
    }
}

#[cfg(unix)]
#[test]
fn hand_over_keeps_process_arguments_and_status() {
    use std::os::unix::fs::PermissionsExt as _;
    let script = directory("builds-execute").join("program");
    fs::write(&script, "#!/bin/sh\nprintf '%s\\n' \"$$\" \"$@\"\nkill -TERM $$\n")
        .expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a mode");
    let arguments = ["--exact", "replaced_process", "--ignored", "--nocapture", "two words \u{f1}"];
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(arguments)
        .env("TABLERO_TEST_PROGRAM", &script)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a process");
    let id = child.id();
    let output = child.wait_with_output().expect("its output");
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = text.lines().skip_while(|line| *line != id.to_string()).collect();
    assert_eq!(lines[1..], arguments, "{text}");
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
    assert_eq!(signal, Some(15), "ended by its signal: {:?}", output.status);
}

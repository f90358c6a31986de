//! Runs the best of the builds that a package holds.
//!
//! The program on the `PATH`, `bin/tablero`, is built for any x86-64 processor. Beside it are builds that use more:
//! `lib/tablero/x86-64-v3/tablero` (AVX2, BMI2, FMA) and `lib/tablero/x86-64-v4/tablero` (AVX-512). Only the first
//! hands over, so that nothing can go round in circles.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fmt, io};

/// The environment variable that names the highest level to use.
const MAX_LEVEL: &str = "TABLERO_CPU";

/// Levels of the x86-64 psABI that packages hold a build for, the best first.
const LEVELS: [&str; 3] = ["x86-64-v4", "x86-64-v3", PORTABLE];

/// The level of the build that hands over.
const PORTABLE: &str = "x86-64";

/// Why this build was not replaced by a better one.
#[derive(Debug)]
pub(crate) enum HandOverError {
    /// The environment names no known level.
    UnknownLevel(String),
    /// The better build cannot be started; this one can do its work.
    NotStarted(PathBuf, io::Error),
}

impl fmt::Display for HandOverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownLevel(level) => {
                write!(f, "{MAX_LEVEL}={level} is not a level; use one of {}", LEVELS.join(", "))
            }
            Self::NotStarted(build, problem) => {
                write!(f, "cannot start {}: {problem}; using the portable build", build.display())
            }
        }
    }
}

/// Replaces this process by the best build of the package; returns if this is the best.
pub(crate) fn hand_over() -> Result<(), HandOverError> {
    if tablero_jobs::BuildInfo::processor() != PORTABLE {
        return Ok(());
    }
    let Ok(program) = env::current_exe() else { return Ok(()) };
    let max_level = env::var_os(MAX_LEVEL).unwrap_or_default();
    match better_build(&program, &max_level, is_supported)? {
        Some(build) => Err(execute(build)),
        None => Ok(()),
    }
}

/// The best build in the package of `program` that the processor supports and that is not above `max_level`, if that
/// is given; none if the best is the program itself.
pub(crate) fn better_build(
    program: &Path,
    max_level: &OsStr,
    is_supported: impl Fn(&str) -> bool,
) -> Result<Option<PathBuf>, HandOverError> {
    let best = if max_level.is_empty() {
        0
    } else {
        let known = LEVELS.iter().position(|level| max_level == *level);
        known.ok_or_else(|| HandOverError::UnknownLevel(max_level.to_string_lossy().into()))?
    };
    let Some(package) = program.parent().and_then(Path::parent) else { return Ok(None) };
    let mut builds = LEVELS[best..]
        .iter()
        .filter(|level| **level != PORTABLE && is_supported(level))
        .map(|level| package.join("lib/tablero").join(level).join("tablero"));
    // A link back to the program would be followed for ever.
    Ok(builds.find(|build| build.canonicalize().is_ok_and(|build| build != program)))
}

/// Whether the processor and the operating system support a level.
#[cfg(target_arch = "x86_64")]
fn is_supported(level: &str) -> bool {
    macro_rules! all {
        ($($feature:tt)+) => { $(is_x86_feature_detected!($feature))&&+ };
    }
    let v3 = all!("sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "cmpxchg16b")
        && all!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe");
    match level {
        "x86-64-v3" => v3,
        "x86-64-v4" => v3 && all!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"),
        _ => false,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn is_supported(_level: &str) -> bool {
    false
}

/// Replaces this process by a build, with the same arguments; returns only if that fails.
#[cfg(unix)]
pub(crate) fn execute(build: PathBuf) -> HandOverError {
    use std::os::unix::process::CommandExt as _;
    let mut arguments = env::args_os();
    let mut command = std::process::Command::new(&build);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    let problem = command.args(arguments).exec();
    HandOverError::NotStarted(build, problem)
}

#[cfg(not(unix))]
pub(crate) fn execute(build: PathBuf) -> HandOverError {
    HandOverError::NotStarted(build, io::ErrorKind::Unsupported.into())
}

//! The `tablero` program: the command line with the games of the catalog.

mod cpu;

use std::io::{Write as _, stderr};
use std::process::ExitCode;

use tablero_jobs::BuildInfo;

fn main() -> ExitCode {
    if let Some(feature) = cpu::missing_feature() {
        // Before anything else: the rest of the program may use the missing instructions.
        let _ = writeln!(
            stderr(),
            "error: this build of tablero needs a processor with {feature}; get the portable build, or build it here"
        );
        return ExitCode::FAILURE;
    }
    #[cfg(unix)]
    if let Some(build) = cpu::better_build() {
        use std::os::unix::process::CommandExt as _;
        // Returns only on failure; then the portable build does the work.
        let _ = std::process::Command::new(build).args(std::env::args_os().skip(1)).exec();
    }
    BuildInfo { commit: env!("TABLERO_COMMIT"), date: env!("TABLERO_COMMIT_DATE") }.install();
    tablero_cli::run(tablero_catalog::games())
}

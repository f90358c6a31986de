//! Manual pages and shell completions.

mod common;

use std::fs;

use common::{directory, stdout, tablero};

#[test]
fn every_command_has_a_manual_page_and_completions() {
    let share = directory("generate");
    let written = stdout(&tablero(&["generate", &share.to_string_lossy()]));
    assert!(written.lines().count() > 20, "{written}");
    let read = |name: &str| fs::read_to_string(share.join(name)).expect(name);
    let page = read("man/man1/tablero-match.1");
    for part in [".TH tablero-match 1", ".SH SYNOPSIS", "\\-\\-games", ".SH EXAMPLES\n.nf"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(read("man/man1/tablero-jobs-resume.1").contains("tablero jobs resume"));
    assert!(read("man/man1/tablero.1").contains("tablero\\-match(1)"));
    for shell in [
        "bash-completion/completions/tablero",
        "zsh/site-functions/_tablero",
        "fish/vendor_completions.d/tablero.fish",
    ] {
        let script = read(shell);
        assert!(script.contains("tournament"), "{shell}");
        // Hidden commands are for the project's scripts.
        assert!(!script.contains("reference pages"), "{shell}");
        assert!(!script.contains("generate"), "{shell}");
    }
}

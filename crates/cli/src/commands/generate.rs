//! `tablero generate`: manual pages and shell completions for packages, made from the definition of the command line.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use tablero_jobs::{BuildInfo, atomic_write};

use crate::out;
use crate::program;

const EXAMPLES: &str = "Examples:
  tablero generate /usr/local/share
  tablero generate ~/.local/share";

/// Where shells look for completions, below a `share` directory.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/tablero"),
    (Shell::Zsh, "zsh/site-functions/_tablero"),
    (Shell::Fish, "fish/vendor_completions.d/tablero.fish"),
];

/// Write manual pages and completions for bash, zsh and fish.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Generate {
    /// Directory of shared files; pages go to man/man1 in it.
    #[arg(value_name = "SHARE")]
    share: PathBuf,
}

impl Generate {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut program = visible_program();
        for (shell, file) in COMPLETIONS {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut program, "tablero", &mut script);
            write(&self.share.join(file), &script)?;
        }
        program.build();
        write_pages(&program, &self.share.join("man/man1"))
    }
}

/// The command line without hidden commands, which completions would offer.
fn visible_program() -> Command {
    let program = program();
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    Command::new("tablero")
        .version(BuildInfo::VERSION)
        .about(program.get_about().cloned().unwrap_or_default())
        .after_help(program.get_after_help().cloned().unwrap_or_default())
        .args(program.get_arguments())
        .subcommands(commands)
        .disable_help_subcommand(true)
}

/// Writes the pages of a command and of its subcommands.
fn write_pages(command: &Command, folder: &Path) -> anyhow::Result<()> {
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_pages(subcommand, folder)?;
    }
    let page = Man::new(command.clone())
        .date(BuildInfo::current().date)
        .source(format!("tablero {}", BuildInfo::VERSION))
        .manual("Tablero");
    let mut text = Vec::new();
    render(&page, command, &mut text)?;
    write(&folder.join(page.get_filename()), &text)
}

/// The sections of a page; examples keep their lines.
fn render(page: &Man, command: &Command, to: &mut Vec<u8>) -> io::Result<()> {
    page.render_title(to)?;
    page.render_name_section(to)?;
    page.render_synopsis_section(to)?;
    page.render_description_section(to)?;
    page.render_options_section(to)?;
    if command.has_subcommands() {
        page.render_subcommands_section(to)?;
    }
    if let Some(examples) = command.get_after_help() {
        let text = examples.to_string();
        let mut roff = Roff::new();
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in text.trim_start_matches("Examples:").trim_start_matches('\n').lines() {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
        to.write_all(roff.to_roff().as_bytes())?;
    }
    Ok(())
}

fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    atomic_write(path, content)?;
    out::line(path.display());
    Ok(())
}

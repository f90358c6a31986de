//! Every command with its options, from clap.

use clap::builder::{PossibleValue, StyledStr};
use clap::{Arg, Command};

use super::{cell, code, table};
use crate::program;

/// Arguments that every command has.
const GLOBAL: [&str; 3] = ["color", "help", "version"];

const EXIT_CODES: &str = "## Exit codes

| Code | Meaning |
|---|---|
| 0 | Success. A reader that closes the pipe early (`tablero ... \\| head`) is a success, too. |
| 1 | The command failed: a file cannot be read or written, an engine crashed, the network is down, `solve` \
found a result that differs from the file. |
| 2 | Wrong usage: an unknown command or option, a value out of range, an unknown game or player, an invalid \
position. |
| 130 | Interrupted by Ctrl-C. Games in progress are played again when the job is resumed; standard error shows \
the command for it. A second Ctrl-C exits at once. |

Results are written to standard output, progress and errors to standard error. With `--json`, standard output \
contains only JSON: one value, or one value per line where a command streams.
";

/// The page of all commands, with exit codes and environment variables.
pub(super) fn page() -> String {
    let mut root = program();
    root.build();
    let mut text = format!("# Command line\n\n{}\n\n", about(&root));
    let commands = subcommands(&root);
    let rows: Vec<_> = commands
        .iter()
        .map(|command| {
            let name = command.get_name();
            let summary = command.get_about().map(ToString::to_string).unwrap_or_default();
            [format!("[`{name}`](#tablero-{name})"), cell(&summary)]
        })
        .collect();
    text += &table(["Command", "Summary"], &rows);
    text += "Without a command, `tablero` runs `tablero serve --open`. Global options:\n\n";
    let global = root.get_arguments().filter(|arg| GLOBAL.contains(&arg.get_id().as_str()));
    text += &options_table(&global.collect::<Vec<_>>());
    text += EXIT_CODES;
    text += "\n";
    text += &environment(&root);
    for command in commands {
        text += &section(command, 2);
    }
    text
}

/// The environment variables.
fn environment(root: &Command) -> String {
    let mut variables: Vec<[String; 2]> = Vec::new();
    collect_variables(root, &mut variables);
    let more = [
        ("TABLERO_NATS_PASSWORD", "Password at the NATS server, see `--nats-password-file`."),
        ("TABLERO_NATS_TOKEN", "Access token of the NATS server, see `--nats-token-file`."),
        (
            "TABLERO_CPU",
            "The highest x86-64 level whose build a package runs: `x86-64`, `x86-64-v3` or `x86-64-v4`. Other builds \
             ignore it.",
        ),
        (
            "LC_ALL, LC_MESSAGES, LANG",
            "Language of `tablero play`: Spanish if it begins with `es`.",
        ),
        ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE", "Colours, unless `--color` is given."),
    ];
    let names = |names: &str| format!("`{}`", names.replace(", ", "`, `"));
    variables.extend(more.map(|(name, about)| [names(name), about.into()]));
    format!("## Environment variables\n\n{}", table(["Variable", "Meaning"], &variables))
}

fn collect_variables(command: &Command, variables: &mut Vec<[String; 2]>) {
    for arg in command.get_arguments() {
        let Some(name) = arg.get_env() else { continue };
        let name = format!("`{}`", name.to_string_lossy());
        if !variables.iter().any(|[known, _]| *known == name) {
            let (help, _) = split_default(&help(arg));
            let option = arg.get_long().unwrap_or_default();
            variables.push([name, cell(&format!("{help} Same as `--{option}`."))]);
        }
    }
    command.get_subcommands().for_each(|command| collect_variables(command, variables));
}

fn subcommands(command: &Command) -> Vec<&Command> {
    command
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
        .collect()
}

/// The description of a command and of its subcommands.
fn section(command: &Command, level: usize) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut text = format!("{} {name}\n\n{}\n\n", "#".repeat(level), about(command));
    let usage = command.clone().render_usage().to_string();
    text += &format!("```text\n{}\n```\n\n", usage.trim_start_matches("Usage: ").trim());
    let arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !GLOBAL.contains(&arg.get_id().as_str()) && !arg.is_hide_set())
        .collect();
    let rows: Vec<_> = arguments
        .iter()
        .filter(|arg| arg.is_positional())
        .map(|arg| [code(&values(arg)), cell(&describe(arg).0)])
        .collect();
    text += &table(["Argument", "Description"], &rows);
    let mut headings: Vec<Option<&str>> = vec![None];
    for arg in &arguments {
        if !headings.contains(&arg.get_help_heading()) {
            headings.push(arg.get_help_heading());
        }
    }
    for heading in headings {
        let options: Vec<&Arg> = arguments
            .iter()
            .copied()
            .filter(|arg| !arg.is_positional() && arg.get_help_heading() == heading)
            .collect();
        if let Some(heading) = heading.filter(|_| !options.is_empty()) {
            text += &format!("**{heading}**\n\n");
        }
        text += &options_table(&options);
    }
    for command in subcommands(command) {
        text += &section(command, level + 1);
    }
    if let Some(more) = command.get_after_help().filter(|_| level == 2) {
        text += &format!("```text\n{}\n```\n\n", more.to_string().trim_end());
    }
    text
}

fn options_table(options: &[&Arg]) -> String {
    let row = |arg: &&Arg| {
        let short = arg.get_short().map_or_else(String::new, |short| format!("-{short}, "));
        let value = match values(arg) {
            value if value.is_empty() => value,
            value => format!(" {value}"),
        };
        let (help, default) = describe(arg);
        let long = arg.get_long().unwrap_or_default();
        [code(&format!("{short}--{long}{value}")), cell(&default), cell(&help)]
    };
    table(["Option", "Default", "Description"], &options.iter().map(row).collect::<Vec<_>>())
}

/// The value names of an argument.
fn values(arg: &Arg) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let names = arg.get_value_names().unwrap_or_default();
    let more = if arg.get_num_args().is_some_and(|range| range.max_values() > names.len()) {
        "..."
    } else {
        ""
    };
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ") + more
}

/// The description of an argument with its possible values, and its default.
fn describe(arg: &Arg) -> (String, String) {
    let (mut text, mut default) = split_default(&help(arg));
    if arg.get_action().takes_values() {
        let values = arg.get_possible_values();
        let values: Vec<String> =
            values.iter().filter(|value| !value.is_hide_set()).map(possible_value).collect();
        if !values.is_empty() {
            text += &format!(" Values: {}.", values.join("; "));
        }
        let defaults: Vec<_> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() {
            default = format!("`{}`", defaults.join(" "));
        }
        if arg.is_required_set() {
            default = "required".into();
        }
    }
    (text, default)
}

/// Splits `text [default: x]`.
fn split_default(text: &str) -> (String, String) {
    match text.rsplit_once("[default:") {
        Some((before, default)) => {
            let text = before.trim_end();
            let dot = if text.ends_with(['.', ':', ';']) { "" } else { "." };
            (format!("{text}{dot}"), default.trim().trim_end_matches(['.', ']']).to_owned())
        }
        None => {
            let dot = if text.is_empty() || text.ends_with('.') { "" } else { "." };
            (format!("{text}{dot}"), String::new())
        }
    }
}

/// `auto`: when standard output is a terminal.
fn possible_value(value: &PossibleValue) -> String {
    match value.get_help() {
        Some(help) => format!("`{}`: {help}", value.get_name()),
        None => format!("`{}`", value.get_name()),
    }
}

fn help(arg: &Arg) -> String {
    arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default()
}

/// The long description of a command, or its summary.
fn about(command: &Command) -> String {
    let text = command.get_long_about().or(command.get_about()).map(StyledStr::to_string);
    let text = text.unwrap_or_default().trim_end().to_owned();
    if text.ends_with('.') { text } else { text + "." }
}

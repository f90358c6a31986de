//! Players that run in other programs.

use tablero_chess::Chess;
use tablero_core::{Game, PlayerError};
use tablero_othello::Othello;
use tablero_protocol::{EngineCommand, ExternalPlayer};
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use super::kinds::{Kind, limits};
use super::{PlayerLine, PlayerLineError, Setup};
use crate::Catalogued;

/// Kinds of players that only one game has.
pub trait OwnKinds: Game {
    /// Those kinds.
    fn own_kinds() -> Vec<Kind<Self>>
    where
        Self: Catalogued,
    {
        Vec::new()
    }
}

impl OwnKinds for Othello {
    fn own_kinds() -> Vec<Kind<Self>> {
        vec![
            super::champion::kind(),
            Kind {
                name: "nboard",
                about: "another program that speaks NBoard's protocol; depth= bounds it; time= is told as a clock, which not all heed",
                words: Some("PROGRAM [ARGUMENTS]"),
                options: Vec::new(),
                build: |line, setup| {
                    let player = ExternalPlayer::nboard(command(line, setup)?).map_err(failed)?;
                    Ok(Box::new(player))
                },
            },
            Kind {
                name: "gtp",
                about: "another program that speaks GTP; time= bounds it",
                words: Some("PROGRAM [ARGUMENTS]"),
                options: Vec::new(),
                build: |line, setup| {
                    let player = ExternalPlayer::gtp(command(line, setup)?).map_err(failed)?;
                    Ok(Box::new(player))
                },
            },
        ]
    }
}

impl OwnKinds for Chess {}
impl OwnKinds for Shobu {}
impl OwnKinds for TicTacToe {}

pub(super) fn uci<G: Catalogued>() -> Kind<G> {
    Kind {
        name: "uci",
        about: "another program that speaks UCI; depth=, nodes=, time=, elo= and its own options",
        words: Some("PROGRAM [ARGUMENTS]"),
        options: Vec::new(),
        build: |line, setup| {
            let player = ExternalPlayer::<G>::uci(command(line, setup)?).map_err(failed)?;
            Ok(Box::new(player))
        },
    }
}

/// The program, its arguments, its options and what bounds it.
fn command(line: &PlayerLine, setup: &Setup) -> Result<EngineCommand, PlayerLineError> {
    let kind = &line.kind;
    if !setup.may_start_programs {
        return Err(PlayerLineError(format!(
            "`{kind}` starts another program, which is not allowed here"
        )));
    }
    let Some((program, arguments)) = line.words.split_first() else {
        return Err(PlayerLineError(format!(
            "`{kind}` needs a program: {kind} /usr/games/program"
        )));
    };
    let mut command = EngineCommand::new(program);
    command.arguments = arguments.to_vec();
    command.limits = limits(line, "nodes");
    for name in ["depth", "nodes", "time"] {
        let given = line.option(name).is_some();
        let read = match name {
            "depth" => command.limits.depth.is_some(),
            "nodes" => command.limits.nodes.is_some(),
            _ => command.limits.time.is_some(),
        };
        if given && !read {
            return Err(PlayerLineError(format!("`{name}` is a number, or a time like 100ms")));
        }
    }
    let bounds = ["depth", "nodes", "time"];
    let own = line.options.iter().filter(|(name, _)| !bounds.contains(&name.as_str()));
    command.options = own.cloned().collect();
    Ok(command)
}

fn failed(error: PlayerError) -> PlayerLineError {
    PlayerLineError(error.to_string())
}

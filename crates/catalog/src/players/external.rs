//! Players that run in other programs.

use tablero_core::{
    AnyGame, Built, Playable, PlayerError, PlayerKind, PlayerLine, PlayerLineError, Protocol,
};
use tablero_protocol::{EngineCommand, ExternalPlayer};

use super::kinds::limits;

/// A kind for each protocol that programs of the game speak.
pub(super) fn kinds<G: Playable>() -> impl Iterator<Item = PlayerKind> {
    let kind = |protocol: &Protocol| PlayerKind {
        name: protocol.name(),
        about: match protocol {
            Protocol::Uci => {
                "another program that speaks UCI; depth=, nodes=, time=, elo= and its own options"
            }
            Protocol::NBoard => {
                "another program that speaks NBoard's protocol; depth= bounds it; time= is told as a \
                 clock, which not all heed"
            }
            Protocol::Gtp => "another program that speaks GTP; time= bounds it",
        },
        words: Some("PROGRAM [ARGUMENTS]"),
        options: Vec::new(),
        starts_program: true,
        build: match protocol {
            Protocol::Uci => |line, _| start::<G>(line, Protocol::Uci),
            Protocol::NBoard => |line, _| start::<G>(line, Protocol::NBoard),
            Protocol::Gtp => |line, _| start::<G>(line, Protocol::Gtp),
        },
    };
    G::PROTOCOLS.iter().map(kind)
}

fn start<G: Playable>(line: &PlayerLine, protocol: Protocol) -> Built {
    let player = ExternalPlayer::start(AnyGame::of::<G>(), protocol, command(line)?);
    Ok(Box::new(player.map_err(failed)?))
}

/// The program, its arguments, its options and what bounds it.
fn command(line: &PlayerLine) -> Result<EngineCommand, PlayerLineError> {
    let kind = &line.kind;
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

//! External engines.

use tablero_core::{
    AnyGame, BuildResult, Localized, OptionValues, Playable, PlayerError, PlayerKind, PlayerLine,
    PlayerLineError, Protocol,
};
use tablero_protocol::{EngineCommand, ExternalPlayer};

use super::kinds::limits;

/// A player kind for each protocol of the game's engines.
pub(super) fn kinds<G: Playable>() -> impl Iterator<Item = PlayerKind> {
    let kind = |protocol: &Protocol| PlayerKind {
        name: protocol.name(),
        about: match protocol {
            Protocol::Uci => Localized::new(
                "external UCI engine; depth=, nodes=, time=, elo= and the engine's own \
                     options",
                "motor UCI externo; depth=, nodes=, time=, elo= y las opciones propias del \
                     motor",
            ),
            Protocol::NBoard => Localized::new(
                "external NBoard engine; depth= bounds it; time= is sent as a clock, which \
                     some engines ignore",
                "motor NBoard externo; lo limita depth=; time= se envía como reloj, que \
                     algunos motores ignoran",
            ),
            Protocol::Gtp => Localized::new(
                "external GTP engine; time= bounds it",
                "motor GTP externo; lo limita time=",
            ),
        },
        words: Some("PROGRAM [ARGUMENTS]".into()),
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

fn start<G: Playable>(line: &PlayerLine, protocol: Protocol) -> BuildResult {
    let player = ExternalPlayer::start(AnyGame::of::<G>(), protocol, command(line)?);
    Ok(Box::new(player.map_err(failed)?))
}

/// The program with its arguments, options and limits.
fn command(line: &PlayerLine) -> Result<EngineCommand, PlayerLineError> {
    let Some((program, arguments)) = line.words.split_first() else {
        return Err(PlayerLineError::MissingProgram { kind: line.kind.clone() });
    };
    let mut command = EngineCommand::new(program);
    command.arguments = arguments.to_vec();
    command.limits = limits(line, "nodes");
    let bounds = [
        ("depth", OptionValues::Integer { min: 0, max: u32::MAX.into() }),
        ("nodes", OptionValues::Integer { min: 0, max: u64::MAX }),
        ("time", OptionValues::Duration),
    ];
    for (name, value) in &line.options {
        match bounds.iter().find(|(bound, _)| bound == name) {
            Some((_, allowed)) if !allowed.allows(value) => {
                return Err(PlayerLineError::InvalidValue {
                    option: name.clone(),
                    value: value.clone(),
                    allowed: allowed.clone(),
                });
            }
            Some(_) => {}
            None => command.options.push((name.clone(), value.clone())),
        }
    }
    Ok(command)
}

fn failed(error: PlayerError) -> PlayerLineError {
    PlayerLineError::Other(error.to_string())
}

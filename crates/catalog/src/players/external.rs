//! External engines.

use std::time::Duration;

use tablero_core::{
    AnyGame, BuildResult, Localized, OptionValues, Playable, PlayerError, PlayerKind, PlayerLine,
    PlayerLineError, PlayerSetup, Protocol,
};
use tablero_protocol::{EngineCommand, ExternalPlayer};

use super::kinds::limits;

/// Time per move of engines without other limits.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// A player kind for each protocol of the game's engines.
pub(super) fn kinds<G: Playable>() -> impl Iterator<Item = PlayerKind> {
    let kind = |protocol: &Protocol| PlayerKind {
        name: protocol.name(),
        about: match protocol {
            Protocol::Uci => Localized::new(
                "external UCI engine; depth=, nodes=, time=, elo= and the engine's own \
                     options; time=1s if nothing else bounds it",
                "motor UCI externo; depth=, nodes=, time=, elo= y las opciones propias del \
                     motor; time=1s si nada más lo limita",
            ),
            Protocol::NBoard => Localized::new(
                "external NBoard engine; depth= and time= bound it; depth=12 if not given",
                "motor NBoard externo; lo limitan depth= y time=; depth=12 si no se indica",
            ),
            Protocol::Gtp => Localized::new(
                "external GTP engine; time= bounds it, in whole seconds; time=1s if nothing \
                     else does",
                "motor GTP externo; lo limita time=, en segundos enteros; time=1s si nada \
                     más lo hace",
            ),
        },
        words: Some("PROGRAM [ARGUMENTS]".into()),
        options: Vec::new(),
        starts_program: true,
        build: match protocol {
            Protocol::Uci => |line, setup| start::<G>(line, setup, Protocol::Uci),
            Protocol::NBoard => |line, setup| start::<G>(line, setup, Protocol::NBoard),
            Protocol::Gtp => |line, setup| start::<G>(line, setup, Protocol::Gtp),
        },
    };
    G::PROTOCOLS.iter().map(kind)
}

fn start<G: Playable>(line: &PlayerLine, setup: &PlayerSetup, protocol: Protocol) -> BuildResult {
    let mut command = command(line)?;
    // NBoard's protocol has a default depth.
    if !setup.limited_by_caller && protocol != Protocol::NBoard {
        command.default_limits.time = Some(DEFAULT_TIME);
    }
    let player = ExternalPlayer::start(AnyGame::of::<G>(), protocol, command);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use tablero_arena::{Conditions, play_game};
    use tablero_chess::Chess;
    use tablero_core::{AnyControl, AnyGameHistory, AnyPlayer, Ending, Limits};
    use tablero_jobs::CancellationToken;

    use super::*;

    /// A UCI engine in shell: `case` patterns on each line.
    fn engine(cases: &str, option: Option<&str>, setup: &PlayerSetup) -> Box<AnyPlayer> {
        let script = format!(
            "while read -r l; do case $l in uci) echo uciok;; isready) echo readyok;; {cases} esac; done"
        );
        let option = option.and_then(|option| option.split_once('='));
        let line = PlayerLine {
            kind: "uci".into(),
            words: vec!["/bin/sh".into(), "-c".into(), script],
            options: option.map(|(name, value)| (name.into(), value.into())).into_iter().collect(),
        };
        let kind = kinds::<Chess>().find(|kind| kind.name == "uci").expect("a kind");
        (kind.build)(&line, setup).expect("a handshake")
    }

    fn start() -> AnyGameHistory {
        AnyGameHistory::new(AnyGame::of::<Chess>().start())
    }

    /// The move of a player without a caller's limits; it is stopped after some seconds.
    fn choose(mut player: Box<AnyPlayer>) -> Result<String, PlayerError> {
        let (stop, game) = (AtomicBool::new(false), start());
        thread::scope(|scope| {
            let search = scope.spawn(|| {
                player.choose(&game, &Limits::default(), &mut AnyControl::new(&stop, &mut |_| {}))
            });
            for _ in 0..300 {
                if search.is_finished() {
                    break;
                }
                thread::sleep(Duration::from_millis(10));
            }
            stop.store(true, Ordering::Relaxed);
            let result = search.join().expect("no panic")?;
            Ok(game.position().move_text(result.m))
        })
    }

    #[test]
    fn a_line_without_limits_has_a_default() {
        let cases = "'go movetime 1000') echo bestmove e2e4;; 'go infinite') read -r l; echo \
                     bestmove d2d4;; 'go depth 1') echo bestmove g1f3;;";
        assert_eq!(choose(engine(cases, None, &PlayerSetup::LOCAL)), Ok("e4".into()));
        assert_eq!(choose(engine(cases, Some("depth=1"), &PlayerSetup::LOCAL)), Ok("Nf3".into()));
        let setup = PlayerSetup { limited_by_caller: true, ..PlayerSetup::LOCAL };
        assert_eq!(choose(engine(cases, None, &setup)), Ok("d4".into()), "the caller stops it");
        let about = kinds::<Chess>().map(|kind| kind.about);
        assert!(about.into_iter().all(|about| about.en.contains("time=1s")));
    }

    #[test]
    fn engines_lose_on_time_or_forfeit() {
        let end = |cases: &str| {
            let [mut first, mut second] =
                [(); 2].map(|()| engine(cases, Some("time=100ms"), &PlayerSetup::LOCAL));
            let (players, never) = ([&mut *first, &mut *second], CancellationToken::default());
            let played = play_game(start(), players, &Conditions::default(), &never);
            let played = played.expect("not cancelled");
            (played.record.end.expect("an end").ending, played.fault.is_some())
        };
        assert_eq!(end("go*) exec sleep 60;;"), (Ending::Time, false));
        assert_eq!(end("go*) exit 3;;"), (Ending::Forfeit, true));
        assert_eq!(end("go*) echo bestmove e2e5;;"), (Ending::Forfeit, true));
    }
}

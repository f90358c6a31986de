use tablero_core::{
    AnyGame, Built, ErasedPlayer, Evaluation, Limits, OptionInfo, OptionValues, Playable, Player,
    PlayerKind, PlayerKinds, PlayerLine, PlayerLineError, PlayerSetup, Tactics, level_line,
};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions, Temper};
use tablero_search::lean::Lean;
use tablero_search::mcts::{FinalChoice, Mcts, MctsOptions, RandomPlayout};
use tablero_search::plain::Minimax;
use tablero_search::simple::{Greedy, Random};

use super::{external, nets};
use crate::Extras;

/// Positions that `alphabeta` looks at if nothing bounds it: some tenths of a second, and the same
/// move every time.
const DEFAULT_NODES: u64 = 200_000;
const DEFAULT_DEPTH: u32 = 4;

/// The kinds of players of a game, those that only it has included.
pub(crate) fn kinds<G: Playable, E: Extras<G>>() -> PlayerKinds {
    let mut kinds = vec![
        PlayerKind {
            name: "random",
            about: "any legal move, all equally likely",
            words: None,
            options: Vec::new(),
            starts_program: false,
            build: |_, _| erased::<G>(Random::new(0)),
        },
        greedy_kind::<G>(),
        minimax_kind::<G>(),
        alphabeta::<G>(),
        mcts::<G>(),
        nets::kind::<G>(),
        level::<G, E>(),
    ];
    kinds.extend(external::kinds::<G>());
    kinds.extend(E::player_kinds());
    PlayerKinds(kinds)
}

fn greedy_kind<G: Playable>() -> PlayerKind {
    PlayerKind {
        name: "greedy",
        about: "the move after which the position looks best",
        words: None,
        options: vec![eval_option::<G>()],
        starts_program: false,
        build: |line, setup| greedy(line, setup, evaluation::<G>(line, setup)?),
    }
}

fn minimax_kind<G: Playable>() -> PlayerKind {
    PlayerKind {
        name: "minimax",
        about: "looks at everything to a fixed depth, without short cuts",
        words: None,
        options: vec![
            depth_option(&DEFAULT_DEPTH.to_string()),
            eval_option::<G>(),
            option(
                "drop",
                OptionValues::Number { min: 0.0, max: 1.0 },
                "0",
                "how likely a move is left out, everywhere in the tree",
            ),
        ],
        starts_program: false,
        build: |line, setup| minimax(line, setup, evaluation::<G>(line, setup)?),
    }
}

fn alphabeta<G: Playable>() -> PlayerKind {
    let usual = AlphaBetaOptions::of::<G>();
    PlayerKind {
        name: "alphabeta",
        about: "alpha-beta search with iterative deepening; without a bound it looks at 200,000 positions",
        words: None,
        options: vec![
            depth_option(""),
            option(
                "nodes",
                OptionValues::Integer { min: 1, max: u64::MAX },
                "",
                "positions to look at",
            ),
            option("time", OptionValues::Duration, "", "time for a move"),
            eval_option::<G>(),
            option(
                "hash",
                OptionValues::Integer { min: 0, max: 65_536 },
                "16",
                "megabytes for seen positions",
            ),
            threads_option(),
            option(
                "quiescence",
                OptionValues::Integer { min: 0, max: 64 },
                &usual.quiescence.to_string(),
                "plies for which noisy moves are played out at the end of lines",
            ),
            option(
                "selectivity",
                on_off(),
                "on",
                "the short cuts that make it stronger in this game",
            ),
            option(
                "within",
                OptionValues::Number { min: 0.0, max: 10_000.0 },
                "",
                "may play moves that are worse by up to so much (pawns, discs, stones)",
            ),
            option(
                "temperature",
                OptionValues::Number { min: 0.001, max: 10_000.0 },
                "1",
                "how much worse a move must be to be played e times less often",
            ),
        ],
        starts_program: false,
        build: |line, setup| alphabeta_player(line, setup, evaluation::<G>(line, setup)?),
    }
}

/// Makes a player that judges positions by what it is given, whatever its line says.
type WithEvaluation<G> = fn(&PlayerLine, &PlayerSetup, Box<dyn Evaluation<G>>) -> Built;

/// A player of one game as a player of any.
pub(super) fn erased<G: Playable>(player: impl Player<G> + 'static) -> Built {
    Ok(Box::new(ErasedPlayer::<G>::new(Box::new(player))))
}

fn greedy<G: Playable>(
    _: &PlayerLine,
    _: &PlayerSetup,
    evaluation: Box<dyn Evaluation<G>>,
) -> Built {
    erased::<G>(Greedy::new(evaluation, 0))
}

fn minimax<G: Playable>(
    line: &PlayerLine,
    _: &PlayerSetup,
    evaluation: Box<dyn Evaluation<G>>,
) -> Built {
    let player = Minimax::new(line.value("depth").unwrap_or(DEFAULT_DEPTH), evaluation);
    erased::<G>(player.dropping(line.value("drop").unwrap_or(0.0)))
}

fn alphabeta_player<G: Playable>(
    line: &PlayerLine,
    setup: &PlayerSetup,
    evaluation: Box<dyn Evaluation<G>>,
) -> Built {
    let options = alphabeta_options::<G>(line, setup);
    check_room(options.hash_mb)?;
    erased::<G>(AlphaBeta::new(options, evaluation))
}

/// The player of a line of greedy, minimax or alphabeta that judges positions by `evaluation`. Plain
/// minimax is played by its fixed-depth alpha-beta twin, which chooses the same moves sooner.
pub(crate) fn build_with<G: Playable>(
    line: &str,
    setup: &PlayerSetup,
    evaluation: Box<dyn Evaluation<G>>,
) -> Built {
    let line: PlayerLine = line.parse()?;
    let kinds: [(PlayerKind, WithEvaluation<G>); 3] = [
        (greedy_kind::<G>(), greedy),
        (minimax_kind::<G>(), minimax),
        (alphabeta::<G>(), alphabeta_player),
    ];
    let kind = kinds.into_iter().find(|(kind, _)| kind.name == line.kind);
    let (kind, build) = kind.filter(|_| line.option("eval").is_none()).ok_or_else(|| {
        PlayerLineError(format!(
            "`{line}`: a line of greedy, minimax or alphabeta is expected, without eval="
        ))
    })?;
    line.check(kind.name, &kind.options, kind.words)?;
    match plain_depth(&line) {
        Some(depth) => erased::<G>(Lean::new(depth, evaluation)),
        None => build(&line, setup, evaluation),
    }
}

/// The depth of a line that asks for plain minimax and nothing else.
fn plain_depth(line: &PlayerLine) -> Option<u32> {
    const DEEPEST: u32 = 8;
    let [(name, depth)] = &line.options[..] else { return None };
    let depth = depth.parse().ok().filter(|depth| *depth <= DEEPEST);
    depth.filter(|_| line.kind == "minimax" && name == "depth")
}

/// A search that finds no room for its table would end the program.
pub(super) fn check_room(megabytes: usize) -> Result<(), PlayerLineError> {
    let room = Vec::<u8>::new().try_reserve_exact(megabytes.saturating_mul(1 << 20));
    room.map_err(|_| PlayerLineError(format!("there is no room for {megabytes} MB (hash=)")))
}

fn alphabeta_options<G: Tactics>(line: &PlayerLine, setup: &PlayerSetup) -> AlphaBetaOptions {
    let mut options = AlphaBetaOptions::of::<G>();
    options.limits = limits(line, "nodes");
    let unbounded = options.limits.is_unlimited() && !setup.bounded_by_caller;
    if unbounded {
        options.limits.nodes = Some(DEFAULT_NODES);
    }
    options.hash_mb = line.table_megabytes(setup.hash_mb.unwrap_or(options.hash_mb));
    options.threads = line.value("threads").unwrap_or(setup.threads);
    options.multi_pv = setup.lines;
    options.quiescence = line.value("quiescence").unwrap_or(options.quiescence);
    if line.is_on("selectivity") == Some(false) {
        options.selectivity = tablero_core::Selectivity::NONE;
    }
    options.temper = line.value::<f64>("within").map(|within| Temper {
        within: (within * 100.0) as i32,
        temperature: 100.0 * line.value("temperature").unwrap_or(1.0),
    });
    options
}

fn mcts<G: Playable>() -> PlayerKind {
    PlayerKind {
        name: "mcts",
        about: "Monte Carlo tree search by UCT with random games, or with a network",
        words: None,
        options: vec![
            option(
                "iterations",
                OptionValues::Integer { min: 1, max: u64::MAX },
                "1000",
                "random games, or positions judged, for a move",
            ),
            option("time", OptionValues::Duration, "", "time for a move, instead of iterations"),
            option(
                "cp",
                OptionValues::Number { min: 0.0, max: 100.0 },
                "1.4142",
                "how much to explore",
            ),
            option(
                "final",
                OptionValues::Choice(vec!["visits".into(), "uct".into()]),
                "visits",
                "play the most visited move, or the one with the best bound",
            ),
            threads_option(),
            option(
                "memory",
                OptionValues::Integer { min: 1, max: 1_048_576 },
                "256",
                "megabytes for the tree",
            ),
            option("reuse", on_off(), "on", "keep the tree from move to move"),
            nets::net_option::<G>("a network that judges positions instead of random games"),
        ],
        starts_program: false,
        build: |line, setup| {
            let options = mcts_options(line, setup);
            match nets::network::<G>(line, setup)? {
                Some(net) => erased::<G>(Mcts::new(options, net)),
                None => erased::<G>(Mcts::<G>::new(options, RandomPlayout)),
            }
        },
    }
}

fn mcts_options(line: &PlayerLine, setup: &PlayerSetup) -> MctsOptions {
    let mut options = MctsOptions::default();
    let given = limits(line, "iterations");
    if !given.is_unlimited() || setup.bounded_by_caller {
        options.limits = given;
    }
    options.cp = line.value("cp").unwrap_or(options.cp);
    if line.option("final") == Some("uct") {
        options.final_choice = FinalChoice::Uct;
    }
    options.threads = line.value("threads").unwrap_or(setup.threads);
    options.memory = line.value("memory").or(setup.hash_mb).unwrap_or(options.memory).max(1);
    options.reuse = line.is_on("reuse").unwrap_or(options.reuse);
    options.lines = setup.lines;
    options
}

/// Levels are other players' names.
fn level<G: Playable, E: Extras<G>>() -> PlayerKind {
    PlayerKind {
        name: "level",
        about: "a player of measured strength: `level 1` to `level 10`, `level easy`, `intermediate`, `hard`",
        words: Some("1..10|easy|intermediate|hard"),
        options: Vec::new(),
        starts_program: false,
        build: |line, setup| kinds::<G, E>().build(level_line(AnyGame::of::<G>(), line)?, setup),
    }
}

pub(super) fn option(
    name: &'static str,
    values: OptionValues,
    default: &str,
    about: &'static str,
) -> OptionInfo {
    OptionInfo { name, values, default: default.into(), about }
}

pub(super) fn depth_option(default: &str) -> OptionInfo {
    option("depth", OptionValues::Integer { min: 1, max: 100 }, default, "plies to look ahead")
}

pub(super) fn threads_option() -> OptionInfo {
    option("threads", OptionValues::Integer { min: 1, max: 1024 }, "1", "threads to think with")
}

pub(super) fn on_off() -> OptionValues {
    OptionValues::Choice(vec!["on".into(), "off".into()])
}

fn eval_option<G: Playable>() -> OptionInfo {
    let names = tablero_genomes::known_names::<G>();
    let default = names.first().cloned().unwrap_or_default();
    let about = "how positions are judged: by name, or by a file of evolved genomes";
    option("eval", OptionValues::NameOrFile(names), &default, about)
}

/// The evaluation that a checked line asks for, or the game's usual one.
fn evaluation<G: Playable>(
    line: &PlayerLine,
    setup: &PlayerSetup,
) -> Result<Box<dyn Evaluation<G>>, PlayerLineError> {
    let Some(name) = line.option("eval") else { return Ok(G::evaluations()[0].by_hand()) };
    if !setup.permissions.files && !tablero_genomes::is_known::<G>(name) {
        let known = tablero_genomes::known_names::<G>().join(", ");
        return Err(PlayerLineError(format!("`eval={name}`: {} knows {known}", G::NAME)));
    }
    tablero_genomes::evaluation(name)
        .map_err(|error| PlayerLineError(format!("`eval={name}`: {error}")))
}

pub(super) fn limits(line: &PlayerLine, nodes: &str) -> Limits {
    Limits {
        depth: line.value("depth"),
        nodes: line.value(nodes),
        time: line.duration("time"),
        clock: None,
    }
}

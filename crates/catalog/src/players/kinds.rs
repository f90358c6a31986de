use tablero_core::{Evaluation, Limits, Player, Tactics};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions, Temper};
use tablero_search::mcts::{FinalChoice, Mcts, MctsOptions, RandomPlayout};
use tablero_search::plain::Minimax;
use tablero_search::simple::{Greedy, Random};

use super::options::{OptionInfo, Values};
use super::{PlayerLine, PlayerLineError, Setup};
use super::{external, nets};
use crate::Catalogued;

/// Positions that `alphabeta` looks at if nothing bounds it: some tenths of a second, and the same
/// move every time.
const DEFAULT_NODES: u64 = 200_000;
const DEFAULT_DEPTH: u32 = 4;

/// A kind of player.
pub struct Kind<G: Catalogued> {
    /// The first word of its lines.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The words that it needs beside options, if it takes any.
    pub words: Option<&'static str>,
    /// Its options.
    pub options: Vec<OptionInfo>,
    /// Makes a player of a line that has been checked against the options.
    pub build: fn(&PlayerLine, &Setup) -> Built<G>,
}

/// A player, or why there is none.
pub type Built<G> = Result<Box<dyn Player<G>>, PlayerLineError>;

/// The kinds of players for a game.
pub fn kinds<G: Catalogued>() -> Vec<Kind<G>> {
    G::player_kinds()
}

pub(crate) fn list_kinds<G: Catalogued>() -> Vec<Kind<G>> {
    let mut kinds = vec![
        Kind {
            name: "random",
            about: "any legal move, all equally likely",
            words: None,
            options: Vec::new(),
            build: |_, _| Ok(Box::new(Random::new(0))),
        },
        Kind {
            name: "greedy",
            about: "the move after which the position looks best",
            words: None,
            options: vec![eval_option::<G>()],
            build: |line, setup| greedy(line, setup, evaluation::<G>(line, setup)?),
        },
        Kind {
            name: "minimax",
            about: "looks at everything to a fixed depth, without short cuts",
            words: None,
            options: vec![
                depth_option(&DEFAULT_DEPTH.to_string()),
                eval_option::<G>(),
                option(
                    "drop",
                    Values::Number { min: 0.0, max: 1.0 },
                    "0",
                    "how likely a move is left out, everywhere in the tree",
                ),
            ],
            build: |line, setup| minimax(line, setup, evaluation::<G>(line, setup)?),
        },
        alphabeta(),
        mcts(),
        nets::kind(),
        level(),
        external::uci(),
    ];
    kinds.extend(G::own_kinds());
    kinds
}

fn alphabeta<G: Catalogued>() -> Kind<G> {
    let usual = AlphaBetaOptions::of::<G>();
    Kind {
        name: "alphabeta",
        about: "alpha-beta search with iterative deepening; without a bound it looks at 200,000 positions",
        words: None,
        options: vec![
            depth_option(""),
            option("nodes", Values::Integer { min: 1, max: u64::MAX }, "", "positions to look at"),
            option("time", Values::Duration, "", "time for a move"),
            eval_option::<G>(),
            option(
                "hash",
                Values::Integer { min: 0, max: 65_536 },
                "16",
                "megabytes for seen positions",
            ),
            threads_option(),
            option(
                "quiescence",
                Values::Integer { min: 0, max: 64 },
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
                Values::Number { min: 0.0, max: 10_000.0 },
                "",
                "may play moves that are worse by up to so much (pawns, discs, stones)",
            ),
            option(
                "temperature",
                Values::Number { min: 0.001, max: 10_000.0 },
                "1",
                "how much worse a move must be to be played e times less often",
            ),
        ],
        build: |line, setup| alphabeta_player(line, setup, evaluation::<G>(line, setup)?),
    }
}

/// Makes a player that judges positions by what it is given, whatever its line says.
pub type Judging<G> = fn(&PlayerLine, &Setup, Box<dyn Evaluation<G>>) -> Built<G>;

fn greedy<G: Catalogued>(
    _: &PlayerLine,
    _: &Setup,
    evaluation: Box<dyn Evaluation<G>>,
) -> Built<G> {
    Ok(Box::new(Greedy::new(evaluation, 0)))
}

fn minimax<G: Catalogued>(
    line: &PlayerLine,
    _: &Setup,
    evaluation: Box<dyn Evaluation<G>>,
) -> Built<G> {
    let player = Minimax::new(line.value("depth").unwrap_or(DEFAULT_DEPTH), evaluation);
    Ok(Box::new(player.dropping(line.value("drop").unwrap_or(0.0))))
}

fn alphabeta_player<G: Catalogued>(
    line: &PlayerLine,
    setup: &Setup,
    evaluation: Box<dyn Evaluation<G>>,
) -> Built<G> {
    let options = alphabeta_options::<G>(line, setup);
    check_room(options.hash_mb)?;
    Ok(Box::new(AlphaBeta::new(options, evaluation)))
}

/// The player of a line, one that was [checked](super::check), that judges positions by an evaluation.
pub(crate) fn find_judging<G: Catalogued>(kind: &str) -> Option<Judging<G>> {
    match kind {
        "greedy" => Some(greedy),
        "minimax" => Some(minimax),
        "alphabeta" => Some(alphabeta_player),
        _ => None,
    }
}

/// A search that finds no room for its table would end the program.
pub(super) fn check_room(megabytes: usize) -> Result<(), PlayerLineError> {
    let room = Vec::<u8>::new().try_reserve_exact(megabytes.saturating_mul(1 << 20));
    room.map_err(|_| PlayerLineError(format!("there is no room for {megabytes} MB (hash=)")))
}

fn alphabeta_options<G: Tactics>(line: &PlayerLine, setup: &Setup) -> AlphaBetaOptions {
    let mut options = AlphaBetaOptions::of::<G>();
    options.limits = limits(line, "nodes");
    let unbounded = options.limits.is_unlimited() && !setup.bounded_by_caller;
    if unbounded {
        options.limits.nodes = Some(DEFAULT_NODES);
    }
    options.hash_mb = line.value("hash").or(setup.hash_mb).unwrap_or(options.hash_mb);
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

fn mcts<G: Catalogued>() -> Kind<G> {
    Kind {
        name: "mcts",
        about: "Monte Carlo tree search by UCT with random games, or with a network",
        words: None,
        options: vec![
            option(
                "iterations",
                Values::Integer { min: 1, max: u64::MAX },
                "1000",
                "random games, or positions judged, for a move",
            ),
            option("time", Values::Duration, "", "time for a move, instead of iterations"),
            option("cp", Values::Number { min: 0.0, max: 100.0 }, "1.4142", "how much to explore"),
            option(
                "final",
                Values::Choice(vec!["visits".into(), "uct".into()]),
                "visits",
                "play the most visited move, or the one with the best bound",
            ),
            threads_option(),
            option(
                "memory",
                Values::Integer { min: 1, max: 1_048_576 },
                "256",
                "megabytes for the tree",
            ),
            option("reuse", on_off(), "on", "keep the tree from move to move"),
            nets::net_option::<G>("a network that judges positions instead of random games"),
        ],
        build: |line, setup| {
            let options = mcts_options(line, setup);
            Ok(match nets::network::<G>(line, setup)? {
                Some(net) => Box::new(Mcts::new(options, net)),
                None => Box::new(Mcts::new(options, RandomPlayout)),
            })
        },
    }
}

fn mcts_options(line: &PlayerLine, setup: &Setup) -> MctsOptions {
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
fn level<G: Catalogued>() -> Kind<G> {
    Kind {
        name: "level",
        about: "a player of measured strength: `level 1` to `level 10`, `level easy`, `intermediate`, `hard`",
        words: Some("1..10|easy|intermediate|hard"),
        options: Vec::new(),
        build: |line, setup| super::build(super::level_line::<G>(line)?, setup),
    }
}

pub(super) fn option(
    name: &'static str,
    values: Values,
    default: &str,
    about: &'static str,
) -> OptionInfo {
    OptionInfo { name, values, default: default.into(), about }
}

pub(super) fn depth_option(default: &str) -> OptionInfo {
    option("depth", Values::Integer { min: 1, max: 100 }, default, "plies to look ahead")
}

pub(super) fn threads_option() -> OptionInfo {
    option("threads", Values::Integer { min: 1, max: 1024 }, "1", "threads to think with")
}

pub(super) fn on_off() -> Values {
    Values::Choice(vec!["on".into(), "off".into()])
}

fn eval_option<G: Catalogued>() -> OptionInfo {
    let names = tablero_genomes::known_names::<G>();
    let default = names.first().cloned().unwrap_or_default();
    let about = "how positions are judged: by name, or by a file of evolved genomes";
    option("eval", Values::NameOrFile(names), &default, about)
}

/// The evaluation that a checked line asks for, or the game's usual one.
fn evaluation<G: Catalogued>(
    line: &PlayerLine,
    setup: &Setup,
) -> Result<Box<dyn Evaluation<G>>, PlayerLineError> {
    let Some(name) = line.option("eval") else { return Ok(G::evaluations()[0].by_hand()) };
    if !setup.may_read_files && !tablero_genomes::is_known::<G>(name) {
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

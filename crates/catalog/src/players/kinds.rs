//! Built-in player kinds: random, greedy, minimax, alphabeta, mcts, level.

use tablero_core::{
    AnyGame, BuildResult, ErasedPlayer, Evaluation, Limits, Localized, OptionInfo, OptionValues,
    Playable, Player, PlayerKind, PlayerKinds, PlayerLine, PlayerLineError, PlayerSetup, Tactics,
    level_line,
};
use tablero_search::alphabeta::{AlphaBeta, AlphaBetaOptions, MoveSampling};
use tablero_search::fixed_depth::FixedDepthAlphaBeta;
use tablero_search::mcts::{
    FinalMove, HeuristicPlayout, Mcts, MctsOptions, PlayoutPolicy, RandomPlayout, ShallowSearch,
    StaticEvaluation,
};
use tablero_search::minimax::{Minimax, MinimaxOptions};
use tablero_search::simple::{Greedy, Random};

use super::evaluations::{eval_option, evaluation};
use super::{external, nets};
use crate::Extras;

/// Node limit of `alphabeta` without other limits: some tenths of a second, and deterministic.
const DEFAULT_NODES: u64 = 200_000;
const DEFAULT_DEPTH: u32 = 4;

/// The player kinds of a game, including its extras.
pub(crate) fn kinds<G: Playable, E: Extras<G>>() -> PlayerKinds {
    let mut kinds = vec![
        PlayerKind {
            name: "random",
            about: Localized::new(
                "a uniformly random legal move",
                "una jugada legal al azar, todas equiprobables",
            ),
            words: None,
            options: Vec::new(),
            starts_program: false,
            build: |_, _| erased::<G>(Random::new(0)),
        },
        greedy_kind::<G>(),
        minimax_kind::<G>(),
        alphabeta::<G>(),
        mcts::<G>(),
        nets::kind::<G, E>(),
        level::<G, E>(),
    ];
    kinds.extend(external::kinds::<G>());
    kinds.extend(E::player_kinds());
    PlayerKinds(kinds)
}

fn greedy_kind<G: Playable>() -> PlayerKind {
    PlayerKind {
        name: "greedy",
        about: Localized::new(
            "one-ply search: the move with the best static evaluation",
            "búsqueda a una jugada: la de mejor evaluación estática",
        ),
        words: None,
        options: vec![eval_option::<G>()],
        starts_program: false,
        build: |line, setup| greedy(line, setup, evaluation::<G>(line, setup)?),
    }
}

fn minimax_kind<G: Playable>() -> PlayerKind {
    PlayerKind {
        name: "minimax",
        about: Localized::new(
            "full-width minimax to a fixed depth; its options are the variations of earlier works",
            "minimax completo hasta una profundidad fija; sus opciones son las variantes de \
             trabajos anteriores",
        ),
        words: None,
        options: vec![
            depth_option(&DEFAULT_DEPTH.to_string()),
            eval_option::<G>(),
            option(
                "drop",
                OptionValues::Number { min: 0.0, max: 1.0 },
                "0",
                Localized::new(
                    "probability that a move is dropped, at every node",
                    "probabilidad de que se descarte una jugada, en cada nodo",
                ),
            ),
            choice(
                "unit",
                ["move", "part"],
                Localized::new(
                    "what is dropped: whole moves, or first parts (passive moves in Shōbu) with all \
                     moves that begin with them",
                    "qué se descarta: jugadas enteras o primeras partes (movimientos pasivos en \
                     Shōbu) con todas las jugadas que empiezan por ellas",
                ),
            ),
            choice(
                "pruning",
                ["off", "on"],
                Localized::new(
                    "alpha-beta pruning: the same move with fewer nodes",
                    "poda alfa-beta: la misma jugada con menos nodos",
                ),
            ),
            choice(
                "ties",
                ["first", "random"],
                Localized::new(
                    "the first of equally good moves, or a random one",
                    "la primera de las jugadas igual de buenas, o una al azar",
                ),
            ),
            choice(
                "passes",
                ["count", "free"],
                Localized::new(
                    "whether a pass counts as a ply",
                    "si un pase cuenta como media jugada",
                ),
            ),
            choice(
                "ends",
                ["outcome", "eval"],
                Localized::new(
                    "the value of an ended game: its outcome, or its static evaluation",
                    "el valor de una partida acabada: su resultado o su evaluación estática",
                ),
            ),
        ],
        starts_program: false,
        build: |line, setup| minimax(line, setup, evaluation::<G>(line, setup)?),
    }
}

fn alphabeta<G: Playable>() -> PlayerKind {
    let defaults = AlphaBetaOptions::for_game::<G>();
    PlayerKind {
        name: "alphabeta",
        about: Localized::new(
            "alpha-beta search with iterative deepening; 200,000 nodes if nothing else bounds it",
            "búsqueda alfa-beta con profundización iterativa; 200 000 nodos si no hay otro límite",
        ),
        words: None,
        options: vec![
            depth_option(""),
            option(
                "nodes",
                OptionValues::Integer { min: 1, max: u64::MAX },
                "",
                Localized::new("nodes to search", "nodos de la búsqueda"),
            ),
            option(
                "time",
                OptionValues::Duration,
                "",
                Localized::new("time per move", "tiempo por jugada"),
            ),
            eval_option::<G>(),
            option(
                "hash",
                OptionValues::Megabytes { min: 0, max: 65_536 },
                "16",
                Localized::new("transposition table in MB", "tabla de transposiciones, en MB"),
            ),
            threads_option(),
            option(
                "quiescence",
                OptionValues::Integer { min: 0, max: 64 },
                &defaults.quiescence.to_string(),
                Localized::new(
                    "maximum depth of quiescence search, in plies",
                    "profundidad máxima de la búsqueda de quietud, en medias jugadas",
                ),
            ),
            option(
                "selectivity",
                on_off(),
                "on",
                Localized::new(
                    "pruning and reductions tuned for this game",
                    "podas y reducciones ajustadas para este juego",
                ),
            ),
            option(
                "within",
                OptionValues::Number { min: 0.0, max: 10_000.0 },
                "",
                Localized::new(
                    "samples among moves within this margin of the best (pawns, discs, stones)",
                    "elige al azar entre las jugadas a menos de este margen de la mejor (peones, \
                     fichas, piedras)",
                ),
            ),
            option(
                "temperature",
                OptionValues::Number { min: 0.001, max: 10_000.0 },
                "1",
                Localized::new(
                    "softmax temperature of that sampling, in the same unit",
                    "temperatura (softmax) de esa elección, en la misma unidad",
                ),
            ),
        ],
        starts_program: false,
        build: |line, setup| alphabeta_player(line, setup, evaluation::<G>(line, setup)?),
    }
}

/// Builds a player with the given evaluation instead of the line's.
type BuildWithEvaluation<G> = fn(&PlayerLine, &PlayerSetup, Box<dyn Evaluation<G>>) -> BuildResult;

/// Erases the game type of a player.
pub(super) fn erased<G: Playable>(player: impl Player<G> + 'static) -> BuildResult {
    Ok(Box::new(ErasedPlayer::<G>::new(Box::new(player))))
}

fn greedy<G: Playable>(
    _: &PlayerLine,
    _: &PlayerSetup,
    evaluation: Box<dyn Evaluation<G>>,
) -> BuildResult {
    erased::<G>(Greedy::new(evaluation, 0))
}

fn minimax<G: Playable>(
    line: &PlayerLine,
    _: &PlayerSetup,
    evaluation: Box<dyn Evaluation<G>>,
) -> BuildResult {
    let is = |option: &str, value: &str| line.option(option) == Some(value);
    let options = MinimaxOptions {
        drop: line.value("drop").unwrap_or(0.0),
        drops_parts: is("unit", "part"),
        pruning: is("pruning", "on"),
        random_ties: is("ties", "random"),
        free_passes: is("passes", "free"),
        static_ends: is("ends", "eval"),
    };
    let player = Minimax::new(line.value("depth").unwrap_or(DEFAULT_DEPTH), evaluation);
    erased::<G>(player.with_options(options))
}

fn alphabeta_player<G: Playable>(
    line: &PlayerLine,
    setup: &PlayerSetup,
    evaluation: Box<dyn Evaluation<G>>,
) -> BuildResult {
    let options = alphabeta_options::<G>(line, setup);
    check_memory(options.hash_mb)?;
    erased::<G>(AlphaBeta::new(options, evaluation))
}

/// Builds the player of a line of greedy, minimax or alphabeta with `evaluation`. Plain minimax is built as
/// fixed-depth alpha-beta, which chooses the same moves faster.
pub(crate) fn build_with<G: Playable>(
    line: &str,
    setup: &PlayerSetup,
    evaluation: Box<dyn Evaluation<G>>,
) -> BuildResult {
    let line: PlayerLine = line.parse()?;
    let kinds: [(PlayerKind, BuildWithEvaluation<G>); 3] = [
        (greedy_kind::<G>(), greedy),
        (minimax_kind::<G>(), minimax),
        (alphabeta::<G>(), alphabeta_player),
    ];
    let kind = kinds.into_iter().find(|(kind, _)| kind.name == line.kind);
    let (kind, build) = kind
        .filter(|_| line.option("eval").is_none())
        .ok_or_else(|| PlayerLineError::EvaluationNotReplaceable { line: line.to_string() })?;
    line.check(kind.name, &kind.options, kind.words.is_some())?;
    match minimax_depth(&line) {
        Some(depth) => erased::<G>(FixedDepthAlphaBeta::new(depth, evaluation)),
        None => build(&line, setup, evaluation),
    }
}

/// The depth of a line that is plain `minimax depth=N`.
fn minimax_depth(line: &PlayerLine) -> Option<u32> {
    const MAX_DEPTH: u32 = 8;
    let [(name, depth)] = &line.options[..] else { return None };
    let depth = depth.parse().ok().filter(|depth| *depth <= MAX_DEPTH);
    depth.filter(|_| line.kind == "minimax" && name == "depth")
}

/// Checks that a transposition table of that size can be allocated: a failed allocation would abort.
pub(super) fn check_memory(megabytes: usize) -> Result<(), PlayerLineError> {
    let reserved = Vec::<u8>::new().try_reserve_exact(megabytes.saturating_mul(1 << 20));
    reserved.map_err(|_| PlayerLineError::OutOfMemory { megabytes })
}

fn alphabeta_options<G: Tactics>(line: &PlayerLine, setup: &PlayerSetup) -> AlphaBetaOptions {
    let mut options = AlphaBetaOptions::for_game::<G>();
    options.limits = limits(line, "nodes");
    let is_unlimited = options.limits.is_unlimited() && !setup.limited_by_caller;
    if is_unlimited {
        options.limits.nodes = Some(DEFAULT_NODES);
    }
    options.hash_mb = line.hash_mb(setup.hash_mb.unwrap_or(options.hash_mb));
    options.threads = line.value("threads").unwrap_or(setup.threads);
    options.multi_pv = setup.multi_pv;
    options.quiescence = line.value("quiescence").unwrap_or(options.quiescence);
    if line.is_on("selectivity") == Some(false) {
        options.selectivity = tablero_core::Selectivity::NONE;
    }
    options.move_sampling = line.value::<f64>("within").map(|within| MoveSampling {
        within: (within * 100.0) as i32,
        temperature: 100.0 * line.value("temperature").unwrap_or(1.0),
    });
    options
}

/// Plies of the searches of leaves.
const DEFAULT_LEAF_PLIES: u32 = 3;
/// The exploration constant where leaves are evaluated.
const EVALUATION_CP: f32 = 0.3;

pub(super) fn mcts<G: Playable>() -> PlayerKind {
    PlayerKind {
        name: "mcts",
        about: Localized::new(
            "Monte Carlo tree search (UCT) with random playouts or a value network",
            "búsqueda de árbol Monte Carlo (UCT) con partidas al azar o con una red de valor",
        ),
        words: None,
        options: vec![
            option(
                "iterations",
                OptionValues::Integer { min: 1, max: u64::MAX },
                "1000",
                Localized::new(
                    "playouts or network evaluations per move",
                    "partidas al azar o evaluaciones de la red por jugada",
                ),
            ),
            option(
                "time",
                OptionValues::Duration,
                "",
                Localized::new(
                    "time per move, instead of iterations",
                    "tiempo por jugada, en vez de iteraciones",
                ),
            ),
            option(
                "cp",
                OptionValues::Number { min: 0.0, max: 100.0 },
                "1.4142",
                Localized::new(
                    "exploration constant; by default 0.3 with playout=eval or search",
                    "constante de exploración; 0.3 si no se indica con playout=eval o search",
                ),
            ),
            option(
                "minimax",
                OptionValues::Number { min: 0.0, max: 1.0 },
                "0",
                Localized::new(
                    "weight of minimax values in selection (implicit minimax backups)",
                    "peso de los valores minimax en la selección (implicit minimax backups)",
                ),
            ),
            option(
                "final",
                OptionValues::Choice(vec!["visits".into(), "uct".into()]),
                "visits",
                Localized::new(
                    "final move: most visits, or highest upper confidence bound",
                    "jugada final: la más visitada o la de mayor cota superior de confianza",
                ),
            ),
            threads_option(),
            option(
                "memory",
                OptionValues::Megabytes { min: 1, max: 1_048_576 },
                "256",
                Localized::new("search tree in MB", "árbol de búsqueda, en MB"),
            ),
            option(
                "reuse",
                on_off(),
                "on",
                Localized::new(
                    "reuse the tree from move to move",
                    "reutilizar el árbol de una jugada a otra",
                ),
            ),
            nets::net_option::<G>(Localized::new(
                "a value network instead of random playouts",
                "una red de valor en vez de partidas al azar",
            )),
            option(
                "playout",
                OptionValues::Choice(
                    ["random", "greedy", "weighted", "eval", "search"].map(String::from).into(),
                ),
                "random",
                Localized::new(
                    "moves of playouts: random; the best by a quick estimate, with a tenth random; \
                     sampled by it; or no playout but the static evaluation, or a shallow search",
                    "jugadas de las partidas simuladas: al azar; la mejor según una estimación \
                     rápida, con una décima al azar; sorteadas según ella; o, sin partida, la \
                     evaluación estática o una búsqueda corta",
                ),
            ),
            option(
                "plies",
                OptionValues::Integer { min: 1, max: 16 },
                &DEFAULT_LEAF_PLIES.to_string(),
                Localized::new(
                    "depth of the searches of playout=search",
                    "profundidad de las búsquedas de playout=search",
                ),
            ),
            OptionInfo {
                default: String::new(),
                about: Localized::new(
                    "evaluation for playouts: of the leaf, or of every move instead of the estimate",
                    "evaluación para las partidas simuladas: de la hoja, o de cada jugada en vez de la \
                     estimación",
                ),
                ..eval_option::<G>()
            },
        ],
        starts_program: false,
        build: |line, setup| {
            let options = mcts_options(line, setup);
            let playout = line.option("playout");
            if let Some(net) = nets::network::<G>(line, setup)? {
                return match playout.or(line.option("eval")) {
                    None => erased::<G>(Mcts::new(options, net)),
                    Some(_) => Err(PlayerLineError::Other(
                        "`net` values positions without playouts: leave out `playout` and `eval`"
                            .into(),
                    )),
                };
            }
            let policy = match playout {
                Some("greedy") => PlayoutPolicy::Greedy,
                Some("weighted") => PlayoutPolicy::Weighted,
                Some("eval") => {
                    let evaluation = evaluation::<G>(line, setup)?.into();
                    return erased::<G>(Mcts::new(options, StaticEvaluation::new(evaluation)));
                }
                Some("search") => {
                    let evaluation = evaluation::<G>(line, setup)?.into();
                    let plies = line.value("plies").unwrap_or(DEFAULT_LEAF_PLIES);
                    return erased::<G>(Mcts::new(options, ShallowSearch::new(evaluation, plies)));
                }
                _ if line.option("eval").is_some() => {
                    return Err(PlayerLineError::Other(
                        "random playouts need no `eval`: add playout=greedy, weighted, eval or search"
                            .into(),
                    ));
                }
                _ => return erased::<G>(Mcts::<G>::new(options, RandomPlayout)),
            };
            let evaluation = match line.option("eval") {
                Some(_) => Some(evaluation::<G>(line, setup)?.into()),
                None => None,
            };
            erased::<G>(Mcts::new(options, HeuristicPlayout::new(policy, evaluation)))
        },
    }
}

pub(super) fn mcts_options(line: &PlayerLine, setup: &PlayerSetup) -> MctsOptions {
    let mut options = MctsOptions::default();
    let given = limits(line, "iterations");
    if !given.is_unlimited() || setup.limited_by_caller {
        options.limits = given;
    }
    // Evaluations vary less than the results of playouts, and need less exploration.
    let is_evaluated = matches!(line.option("playout"), Some("eval" | "search"));
    let cp = if is_evaluated { EVALUATION_CP } else { options.cp };
    options.cp = line.value("cp").unwrap_or(cp);
    options.minimax_weight = line.value("minimax").unwrap_or(options.minimax_weight);
    if line.option("final") == Some("uct") {
        options.final_move = FinalMove::MaxUcb;
    }
    options.threads = line.value("threads").unwrap_or(setup.threads);
    options.memory_mb = line.value("memory").or(setup.hash_mb).unwrap_or(options.memory_mb).max(1);
    options.reuse_tree = line.is_on("reuse").unwrap_or(options.reuse_tree);
    options.multi_pv = setup.multi_pv;
    options
}

/// A level is an alias of another player line.
fn level<G: Playable, E: Extras<G>>() -> PlayerKind {
    PlayerKind {
        name: "level",
        about: Localized::new(
            "a player of measured strength: a rung of the game's ladder, or easy, intermediate, \
             hard",
            "un jugador de fuerza medida: un peldaño de la escala del juego, o easy, \
             intermediate, hard",
        ),
        words: Some(level_words(AnyGame::of::<G>())),
        options: Vec::new(),
        starts_program: false,
        build: |line, setup| kinds::<G, E>().build(level_line(AnyGame::of::<G>(), line)?, setup),
    }
}

/// The words of `level`: `1..10|easy|intermediate|hard`.
fn level_words(game: AnyGame) -> String {
    let names = game.named_levels().map(|(name, _)| name);
    format!("1..{}|{}", game.ladder().len(), names.join("|"))
}

pub(super) fn option(
    name: &'static str,
    values: OptionValues,
    default: &str,
    about: Localized,
) -> OptionInfo {
    OptionInfo { name, values, default: default.into(), about }
}

/// An option with two values, the default first.
fn choice(name: &'static str, values: [&str; 2], about: Localized) -> OptionInfo {
    let [default, _] = values;
    option(name, OptionValues::Choice(values.map(String::from).to_vec()), default, about)
}

pub(super) fn depth_option(default: &str) -> OptionInfo {
    option(
        "depth",
        OptionValues::Integer { min: 1, max: 100 },
        default,
        Localized::new("search depth in plies", "profundidad de búsqueda, en medias jugadas"),
    )
}

pub(super) fn threads_option() -> OptionInfo {
    option(
        "threads",
        OptionValues::Threads,
        "1",
        Localized::new("search threads", "hilos de búsqueda"),
    )
}

pub(super) fn on_off() -> OptionValues {
    OptionValues::Choice(vec!["on".into(), "off".into()])
}

pub(super) fn limits(line: &PlayerLine, nodes: &str) -> Limits {
    Limits {
        depth: line.value("depth"),
        nodes: line.value(nodes),
        time: line.duration("time"),
        clock: None,
    }
}

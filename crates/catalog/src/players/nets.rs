//! PUCT, and networks of players: `puct net=FILE`, `mcts net=FILE`.

use std::path::Path;

use tablero_core::{
    BuildResult, Localized, OptionInfo, OptionValues, Playable, PlayerKind, PlayerLine,
    PlayerLineError, PlayerSetup, PolicyValue,
};
use tablero_nets::{GameNet, NetError};
use tablero_search::puct::{
    Contempt, DEFAULT_SIMULATIONS, EvaluationPolicy, Exploration, Fpu, Puct, PuctOptions,
    RootSelection,
};

use super::evaluations::{eval_option, evaluation};
use super::kinds::{erased, limits, on_off, option, threads_option};
use crate::Extras;
use crate::endgames::{Endgames, ExactEndgames};

/// Root moves considered by Gumbel's sequential halving.
const GUMBEL_ACTIONS: usize = 16;
/// The value of a draw in self-play for the side that makes it, as in Hatchet1.
const SELF_PLAY_DRAW_VALUE: f32 = -0.5;
/// The exploration constant with an evaluation instead of a network.
const EVALUATION_C: f32 = 1.0;
/// Leaves per batch and thread, with several threads.
const BATCH_PER_THREAD: usize = 2;

/// The player kind `puct`.
pub(super) fn kind<G: Playable, E: Extras<G>>() -> PlayerKind {
    let defaults = PuctOptions::default();
    let choice =
        |words: &[&str]| OptionValues::Choice(words.iter().map(|&word| word.into()).collect());
    let number = |min, max| OptionValues::Number { min, max };
    let mut kind = PlayerKind {
        name: "puct",
        about: Localized::new(
            "tree search guided by a policy and value network (PUCT), as in Hatchet1 and \
             AlphaZero",
            "búsqueda de árbol guiada por una red de política y valor (PUCT), como en Hatchet1 y \
             AlphaZero",
        ),
        words: None,
        options: vec![
            net_option::<G>(Localized::new(
                "policy and value network; without one, the evaluation one ply ahead",
                "red de política y valor; si no se indica, la evaluación tras cada jugada",
            )),
            eval_option::<G>(),
            option(
                "sims",
                OptionValues::Integer { min: 1, max: u64::MAX },
                &DEFAULT_SIMULATIONS.to_string(),
                Localized::new("simulations per move", "simulaciones por jugada"),
            ),
            option(
                "time",
                OptionValues::Duration,
                "",
                Localized::new(
                    "time per move, instead of simulations",
                    "tiempo por jugada, en vez de simulaciones",
                ),
            ),
            option(
                "c",
                number(0.0, 100.0),
                &defaults.c_puct.to_string(),
                Localized::new(
                    "exploration constant; by default 1 with an evaluation",
                    "constante de exploración; 1 si no se indica con una evaluación",
                ),
            ),
            option(
                "fpu",
                choice(&["parent", "zero"]),
                "parent",
                Localized::new(
                    "first-play urgency (FPU) of unvisited moves: the parent's value less a \
                     reduction, or 0",
                    "urgencia de las jugadas sin visitar (FPU): el valor del padre menos una \
                     reducción, o 0",
                ),
            ),
            option(
                "draw",
                number(-1.0, 1.0),
                "0",
                Localized::new(
                    "value of a draw to the side that makes it (contempt)",
                    "valor de un empate para quien lo provoca (desprecio)",
                ),
            ),
            option(
                "draws",
                choice(&["all", "automatic"]),
                "all",
                Localized::new(
                    "draws that have this value: all, or only stalemate and those that need no claim \
                     (fivefold repetition, 75 moves), as in Hatchet1",
                    "empates que tienen ese valor: todos, o solo el ahogado y los que no hay que \
                     reclamar (quíntuple repetición, 75 jugadas), como en Hatchet1",
                ),
            ),
            option(
                "root",
                choice(&["puct", "gumbel"]),
                "puct",
                Localized::new(
                    "root selection: the PUCT formula, or Gumbel with sequential halving, better \
                     with few simulations",
                    "selección en la raíz: la fórmula PUCT, o Gumbel con reducción sucesiva a la \
                     mitad, mejor con pocas simulaciones",
                ),
            ),
            option(
                "selfplay",
                on_off(),
                "off",
                Localized::new(
                    "play as in self-play: Dirichlet noise, sampled moves, draws scored -0.5",
                    "jugar como en el autojuego: ruido de Dirichlet, jugadas al azar y empates a \
                     -0,5",
                ),
            ),
            threads_option(),
            option(
                "batch",
                OptionValues::Integer { min: 1, max: 4096 },
                "",
                Localized::new(
                    "leaves per network batch [1, or 2 per thread]",
                    "hojas por lote de la red [1, o 2 por hilo]",
                ),
            ),
            option(
                "memory",
                OptionValues::Megabytes { min: 1, max: 4096 },
                &defaults.memory_mb.to_string(),
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
        ],
        starts_program: false,
        build: |line, setup| {
            if line.option("net").is_some() && line.option("eval").is_some() {
                let problem = "policy and value are those of `net` or of `eval`: leave one out";
                return Err(PlayerLineError::Other(problem.into()));
            }
            if let Some(net) = network::<G>(line, setup)? {
                return puct::<G, E, _>(line, setup, net);
            }
            let evaluation = EvaluationPolicy::new(evaluation::<G>(line, setup)?.into());
            player::<G, E, _>(line, evaluation_options(line, setup), evaluation)
        },
    };
    if E::IS_ENDGAME.is_some() {
        kind.options.push(option(
            "endgames",
            choice(&["search", "exact"]),
            "search",
            Localized::new(
                "small endgames: searched like the rest, or with the exact values of the game's \
                 solver",
                "finales pequeños: buscados como el resto, o con los valores exactos del \
                 resolutor del juego",
            ),
        ));
    }
    kind
}

/// The player of a validated line, with a network.
pub(super) fn puct<G: Playable, E: Extras<G>, N: PolicyValue<G>>(
    line: &PlayerLine,
    setup: &PlayerSetup,
    net: N,
) -> BuildResult {
    player::<G, E, _>(line, puct_options(line, setup), net)
}

fn player<G: Playable, E: Extras<G>, N: PolicyValue<G>>(
    line: &PlayerLine,
    options: PuctOptions,
    net: N,
) -> BuildResult {
    let is_exact = line.option("endgames") == Some("exact");
    match is_exact.then(Endgames::of::<E>).flatten() {
        Some(endgames) => erased::<G>(Puct::new(options, ExactEndgames { net, endgames })),
        None => erased::<G>(Puct::new(options, net)),
    }
}

/// An evaluation takes less time than it takes to hand a leaf to another thread.
fn evaluation_options(line: &PlayerLine, setup: &PlayerSetup) -> PuctOptions {
    let options = puct_options(line, &PlayerSetup { threads: 1, ..*setup });
    PuctOptions { c_puct: line.value("c").unwrap_or(EVALUATION_C), ..options }
}

fn puct_options(line: &PlayerLine, setup: &PlayerSetup) -> PuctOptions {
    let mut options = PuctOptions::default();
    let given = limits(line, "sims");
    if !given.is_unlimited() || setup.limited_by_caller {
        options.limits = given;
    }
    if line.is_on("selfplay") == Some(true) {
        options.exploration = Some(Exploration::default());
        options.draw_value = SELF_PLAY_DRAW_VALUE;
    }
    options.c_puct = line.value("c").unwrap_or(options.c_puct);
    options.draw_value = line.value("draw").unwrap_or(options.draw_value);
    if line.option("draws") == Some("automatic") {
        options.contempt = Contempt::AutomaticDraws;
    }
    if line.option("fpu") == Some("zero") {
        options.fpu = Fpu::Zero;
    }
    if line.option("root") == Some("gumbel") {
        options.root_selection = RootSelection::Gumbel(GUMBEL_ACTIONS);
    }
    options.threads = line.value("threads").unwrap_or(setup.threads);
    let batch = if options.threads > 1 { BATCH_PER_THREAD * options.threads } else { 1 };
    options.batch_size = line.value("batch").unwrap_or(batch);
    options.memory_mb = line.value("memory").or(setup.hash_mb).unwrap_or(options.memory_mb).max(1);
    options.reuse_tree = line.is_on("reuse").unwrap_or(options.reuse_tree);
    options.multi_pv = setup.multi_pv;
    options
}

/// The option `net`.
pub(super) fn net_option<G: Playable>(about: Localized) -> OptionInfo {
    option("net", net_values::<G>(), "", about)
}

fn net_values<G: Playable>() -> OptionValues {
    OptionValues::NameOrFile(shipped_names::<G>())
}

fn shipped_names<G: Playable>() -> Vec<String> {
    G::SHIPPED_NETS.iter().map(|net| net.name.into()).collect()
}

/// The network of a validated line, if any.
pub(super) fn network<G: Playable>(
    line: &PlayerLine,
    setup: &PlayerSetup,
) -> Result<Option<GameNet<G>>, PlayerLineError> {
    let Some(name) = line.option("net") else { return Ok(None) };
    let invalid = |error: NetError| PlayerLineError::InvalidFile {
        option: "net".into(),
        value: name.into(),
        reason: error.to_string(),
    };
    if let Some(net) = GameNet::shipped(name) {
        return net.map(Some).map_err(invalid);
    }
    let known = shipped_names::<G>();
    setup.permissions.check_file("net", name, &known)?;
    let path = Path::new(name);
    if !path.exists() {
        let (option, value) = ("net".into(), name.into());
        return Err(PlayerLineError::NotFound { option, value, known });
    }
    GameNet::read(path).map(Some).map_err(invalid)
}

//! Players with a network: `puct net=FILE`, `mcts net=FILE`.

use std::path::Path;

use tablero_core::{
    OptionInfo, OptionValues, Playable, PlayerKind, PlayerLine, PlayerLineError, PlayerSetup,
};
use tablero_nets::GameNet;
use tablero_search::puct::{
    DEFAULT_SIMULATIONS, Exploration, Puct, PuctOptions, RootSelection, Untried,
};

use super::kinds::{erased, limits, on_off, option, threads_option};

/// Moves that are compared at the root by sequential halving.
const HALVED_MOVES: usize = 16;
/// What a draw is worth in games against itself to the one who brings it about, as in Hatchet1.
const DRAW_IN_SELF_PLAY: f32 = -0.5;
/// Positions that every thread gets to judge at a time, if there are several.
const BATCH_A_THREAD: usize = 2;

/// The kind `puct`.
pub(super) fn kind<G: Playable>() -> PlayerKind {
    let usual = PuctOptions::default();
    let choice =
        |words: &[&str]| OptionValues::Choice(words.iter().map(|&word| word.into()).collect());
    let number = |min, max| OptionValues::Number { min, max };
    PlayerKind {
        name: "puct",
        about: "tree search guided by a network, as in Hatchet1 and AlphaZero",
        words: None,
        options: vec![
            net_option::<G>("the network, which must be given"),
            option(
                "sims",
                OptionValues::Integer { min: 1, max: u64::MAX },
                &DEFAULT_SIMULATIONS.to_string(),
                "simulations for a move",
            ),
            option("time", OptionValues::Duration, "", "time for a move, instead of simulations"),
            option("c", number(0.0, 100.0), &usual.c.to_string(), "how much to explore"),
            option(
                "untried",
                choice(&["parent", "zero"]),
                "parent",
                "what an untried move is taken to be worth: somewhat less than the position, or 0",
            ),
            option(
                "draw",
                number(-1.0, 1.0),
                "0",
                "what a draw is worth to whoever brings it about",
            ),
            option(
                "root",
                choice(&["formula", "gumbel"]),
                "formula",
                "how the first moves to look at are chosen; gumbel is better with few simulations",
            ),
            option(
                "selfplay",
                on_off(),
                "off",
                "play as in games to learn from: with noise, moves by chance, and draws worth -0.5",
            ),
            threads_option(),
            option(
                "batch",
                OptionValues::Integer { min: 1, max: 4096 },
                "",
                "positions that are picked before any of them is judged [1, or 2 a thread]",
            ),
            option(
                "memory",
                OptionValues::Integer { min: 1, max: 4096 },
                &usual.memory.to_string(),
                "megabytes for the tree",
            ),
            option("reuse", on_off(), "on", "keep the tree from move to move"),
        ],
        starts_program: false,
        build: |line, setup| {
            let net = network::<G>(line, setup)?.ok_or_else(|| {
                PlayerLineError(format!("`{line}`: net=FILE is missing, the network to play with"))
            })?;
            erased::<G>(Puct::new(puct_options(line, setup), net))
        },
    }
}

fn puct_options(line: &PlayerLine, setup: &PlayerSetup) -> PuctOptions {
    let mut options = PuctOptions::default();
    let given = limits(line, "sims");
    if !given.is_unlimited() || setup.bounded_by_caller {
        options.limits = given;
    }
    if line.is_on("selfplay") == Some(true) {
        options.exploration = Some(Exploration::default());
        options.draw = DRAW_IN_SELF_PLAY;
    }
    options.c = line.value("c").unwrap_or(options.c);
    options.draw = line.value("draw").unwrap_or(options.draw);
    if line.option("untried") == Some("zero") {
        options.untried = Untried::Zero;
    }
    if line.option("root") == Some("gumbel") {
        options.selection = RootSelection::Halving(HALVED_MOVES);
    }
    options.threads = line.value("threads").unwrap_or(setup.threads);
    let batch = if options.threads > 1 { BATCH_A_THREAD * options.threads } else { 1 };
    options.batch = line.value("batch").unwrap_or(batch);
    options.memory = line.value("memory").or(setup.hash_mb).unwrap_or(options.memory).max(1);
    options.reuse = line.is_on("reuse").unwrap_or(options.reuse);
    options.lines = setup.lines;
    options
}

/// The option that names a network.
pub(super) fn net_option<G: Playable>(about: &'static str) -> OptionInfo {
    let names = G::SHIPPED_NETS.iter().map(|net| net.name.into());
    option("net", OptionValues::NameOrFile(names.collect()), "", about)
}

/// The network that a checked line names, if it does.
pub(super) fn network<G: Playable>(
    line: &PlayerLine,
    setup: &PlayerSetup,
) -> Result<Option<GameNet<G>>, PlayerLineError> {
    let Some(name) = line.option("net") else { return Ok(None) };
    let problem = |error: &dyn std::fmt::Display| PlayerLineError(format!("`net={name}`: {error}"));
    if let Some(net) = GameNet::shipped(name) {
        return net.map(Some).map_err(|error| problem(&error));
    }
    setup.permissions.check_files().map_err(|error| problem(&error))?;
    let path = Path::new(name);
    if !path.exists() {
        return Err(problem(&no_such_net::<G>()));
    }
    GameNet::read(path).map(Some).map_err(|error| problem(&error))
}

/// What is wrong with a name that is neither a file nor a network that comes with the program.
fn no_such_net<G: Playable>() -> String {
    let known: Vec<_> = G::SHIPPED_NETS.iter().map(|net| net.name).collect();
    match known[..] {
        [] => {
            format!("there is no such file, and no network for {} comes with the program", G::NAME)
        }
        _ => format!(
            "there is no such file; with the program comes for {}: {}",
            G::NAME,
            known.join(", ")
        ),
    }
}

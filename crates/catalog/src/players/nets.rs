//! Players with a network: `puct net=FILE`, `mcts net=FILE`.

use std::path::Path;

use tablero_nets::{GameNet, ShippedNet, shipped};
use tablero_search::puct::{
    DEFAULT_SIMULATIONS, Exploration, Puct, PuctOptions, RootSelection, Untried,
};

use super::kinds::{Kind, limits, on_off, option, threads_option};
use super::options::{OptionInfo, Values};
use super::{PlayerLine, PlayerLineError, Setup};
use crate::Catalogued;

/// Moves that are compared at the root by sequential halving.
const HALVED_MOVES: usize = 16;
/// What a draw is worth in games against itself to the one who brings it about, as in Hatchet1.
const DRAW_IN_SELF_PLAY: f32 = -0.5;
/// Positions that every thread gets to judge at a time, if there are several.
const BATCH_A_THREAD: usize = 2;

/// The kind `puct`.
pub(super) fn kind<G: Catalogued>() -> Kind<G> {
    let usual = PuctOptions::default();
    let choice = |words: &[&str]| Values::Choice(words.iter().map(|&word| word.into()).collect());
    let number = |min, max| Values::Number { min, max };
    Kind {
        name: "puct",
        about: "tree search guided by a network, as in Hatchet1 and AlphaZero",
        words: None,
        options: vec![
            net_option::<G>("the network, which must be given"),
            option(
                "sims",
                Values::Integer { min: 1, max: u64::MAX },
                &DEFAULT_SIMULATIONS.to_string(),
                "simulations for a move",
            ),
            option("time", Values::Duration, "", "time for a move, instead of simulations"),
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
                Values::Integer { min: 1, max: 4096 },
                "",
                "positions that are picked before any of them is judged [1, or 2 a thread]",
            ),
            option(
                "memory",
                Values::Integer { min: 1, max: 4096 },
                &usual.memory.to_string(),
                "megabytes for the tree",
            ),
            option("reuse", on_off(), "on", "keep the tree from move to move"),
        ],
        build: |line, setup| {
            let net = network::<G>(line, setup)?.ok_or_else(|| {
                PlayerLineError(format!("`{line}`: net=FILE is missing, the network to play with"))
            })?;
            Ok(Box::new(Puct::new(puct_options(line, setup), net)))
        },
    }
}

fn puct_options(line: &PlayerLine, setup: &Setup) -> PuctOptions {
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
pub(super) fn net_option<G: Catalogued>(about: &'static str) -> OptionInfo {
    let names = shipped().iter().filter(|net| net.game == G::NAME).map(|net| net.name.into());
    option("net", Values::NameOrFile(names.collect()), "", about)
}

/// The network that a checked line names, if it does.
pub(super) fn network<G: Catalogued>(
    line: &PlayerLine,
    setup: &Setup,
) -> Result<Option<GameNet<G>>, PlayerLineError> {
    let Some(name) = line.option("net") else { return Ok(None) };
    let problem = |error: &dyn std::fmt::Display| PlayerLineError(format!("`net={name}`: {error}"));
    if let Some(net) = ShippedNet::find(name, G::NAME) {
        let net = net.weights().and_then(|weights| GameNet::new(&weights));
        return net.map(Some).map_err(|error| problem(&error));
    }
    if !setup.may_read_files {
        return Err(problem(&"files are not read here"));
    }
    let path = Path::new(name);
    if !path.exists() {
        return Err(problem(&no_such_net(G::NAME)));
    }
    GameNet::read(path).map(Some).map_err(|error| problem(&error))
}

/// What is wrong with a name that is neither a file nor a network that comes with the program.
fn no_such_net(game: &str) -> String {
    let known: Vec<_> =
        shipped().iter().filter(|net| net.game == game).map(|net| net.name).collect();
    match known[..] {
        [] => format!("there is no such file, and no network for {game} comes with the program"),
        _ => format!(
            "there is no such file; with the program comes for {game}: {}",
            known.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use tablero_chess::Chess;
    use tablero_core::Player;
    use tablero_nets::{Dims, Weights};
    use tablero_shobu::Shobu;
    use tablero_tictactoe::TicTacToe;

    use super::*;
    use crate::players::build;

    /// A file with a network of tic-tac-toe that is removed in the end.
    struct NetFile(PathBuf);

    impl NetFile {
        fn new(name: &str) -> Self {
            let kind = "resnet 1x8".parse().expect("a kind");
            let weights = Weights::random(kind, &Dims::of::<TicTacToe>(), 1).expect("fits");
            let name = format!("tablero-{name}-{}.safetensors", std::process::id());
            let path = std::env::temp_dir().join(name);
            weights.write(&path).expect("written");
            Self(path)
        }

        fn line(&self, before: &str, after: &str) -> String {
            format!("{before} \"net={}\" {after}", self.0.display())
        }
    }

    impl Drop for NetFile {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn error<G: Catalogued>(line: &str, setup: &Setup) -> String {
        build::<G>(line, setup).err().expect("an error").to_string()
    }

    #[test]
    fn players_with_networks_play() {
        let file = NetFile::new("plays");
        let mut players: Vec<Box<dyn Player<TicTacToe>>> = Vec::new();
        for (kind, rest) in [
            ("puct", "sims=8"),
            ("puct", "sims=8 root=gumbel selfplay=on threads=2"),
            ("puct", "sims=8 untried=zero c=1.5 draw=-0.5 batch=3 memory=1 reuse=off"),
            ("mcts", "iterations=20"),
        ] {
            let built = build::<TicTacToe>(&file.line(kind, rest), &Setup::default());
            players.push(built.unwrap_or_else(|error| panic!("{error}")));
        }
        let stop = std::sync::atomic::AtomicBool::new(false);
        for mut player in players {
            let mut game = tablero_core::Match::new(tablero_core::Game::start(Default::default()));
            while game.end().is_none() {
                let mut ignore = |_: &_| {};
                let mut control = tablero_core::Control::new(&stop, &mut ignore);
                let choice = player.choose(&game, &Default::default(), &mut control);
                game.play(choice.expect("a move").m).expect("legal");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let file = NetFile::new("wrong");
        let usual = Setup::default();
        assert!(error::<TicTacToe>("puct sims=8", &usual).contains("net=FILE"));
        assert!(error::<TicTacToe>("puct net=nowhere", &usual).contains("nowhere"));
        let unknown = error::<Shobu>("puct net=nowhere", &usual);
        assert!(unknown.contains("comes for shobu: shobu-4x32"), "{unknown}");
        let of_another = error::<Chess>(&file.line("puct", ""), &usual);
        assert!(of_another.contains("plays tictactoe, not chess"), "{of_another}");
        let closed = Setup { may_read_files: false, ..usual };
        assert!(error::<TicTacToe>(&file.line("mcts", ""), &closed).contains("not read here"));
        assert!(error::<TicTacToe>("puct net=x root=best", &usual).contains("formula or gumbel"));
    }
}

//! Players with networks.

use std::sync::atomic::AtomicBool;

use tablero_core::{
    AnyControl, AnyGameHistory, AnyMove, AnyPosition, Limits, PlayerSetup, Rng, Side,
};
use tablero_nets::Weights;
use tablero_nets::nnue::NnueTrainer;
use tablero_registry::{GameEntry, SolveLimits, Solver};

use crate::{SANDBOXED, TempFile, assert_builds, error, game, games};

/// A file with a small random network.
fn net_file(entry: &dyn GameEntry, name: &str) -> TempFile {
    let kind = "resnet 1x8".parse().expect("a kind");
    let weights = Weights::random(kind, &entry.learning().spec().encoding, 1).expect("fits");
    TempFile::new(&format!("{name}-{entry:?}.safetensors"), &weights.to_bytes())
}

fn line(before: &str, file: &TempFile, after: &str) -> String {
    format!("{before} \"net={}\" {after}", file.path().display())
}

/// Plays up to `plies` plies against itself.
fn plays(entry: &dyn GameEntry, line: &str, plies: usize) {
    let built = entry.build(line, &PlayerSetup::LOCAL);
    let mut player = built.unwrap_or_else(|error| panic!("{error}"));
    let stop = AtomicBool::new(false);
    let mut game = AnyGameHistory::new(entry.game().start());
    while game.end().is_none() && game.plies() < plies {
        let mut ignore = |_: &_| {};
        let mut control = AnyControl::new(&stop, &mut ignore);
        let choice = player.choose(&game, &Limits::default(), &mut control);
        game.play(choice.expect("a move").m).expect("legal");
    }
}

#[test]
fn players_with_networks_play() {
    let entry = game("tictactoe");
    let file = net_file(entry, "plays");
    for (kind, rest) in [
        ("puct", "sims=8"),
        ("puct", "sims=8 root=gumbel selfplay=on threads=2"),
        ("puct", "sims=8 fpu=zero c=1.5 draw=-0.5 batch=3 memory=1 reuse=off"),
        ("mcts", "iterations=20"),
    ] {
        plays(entry, &line(kind, &file, rest), usize::MAX);
    }
}

#[test]
fn networks_play_every_game() {
    for &entry in games() {
        let file = net_file(entry, "every");
        plays(entry, &line("puct", &file, "sims=2"), 8);
    }
}

/// Endgames with one winning move among several.
const ENDGAMES: usize = 8;

fn outcome(solver: &mut dyn Solver, position: &AnyPosition, side: Side) -> i32 {
    let solution = solver.solve(position, SolveLimits { wld: true }, &AtomicBool::new(false));
    let score = solution.expect("not stopped").score.0;
    if position.side() == side { score } else { -score }
}

fn endgames(entry: &dyn GameEntry, solver: &mut dyn Solver) -> Vec<AnyPosition> {
    let mut rng = Rng::seeded(1);
    let mut found = Vec::new();
    while found.len() < ENDGAMES {
        let mut position = entry.game().start();
        for _ in 0..50 {
            let moves = position.moves();
            if let Some(&m) = rng.pick(&moves) {
                position.play(m);
            }
        }
        let (moves, side) = (position.moves(), position.side());
        let mut is_won = |m: &&AnyMove| outcome(solver, &position.after(**m), side) == 1;
        if moves.len() > 3 && moves.iter().filter(|m| is_won(m)).count() == 1 {
            found.push(position);
        }
    }
    found
}

/// A random network finds the only winning move of an endgame when it is told exact values.
#[test]
fn exact_endgames_are_won() {
    let entry = game("othello");
    let file = net_file(entry, "endgames");
    let mut solver = entry.solver(1, 1).expect("a solver");
    let endgames = endgames(entry, &mut *solver);
    let mut wins = |option: &str| {
        let line = line("puct", &file, &format!("sims=40 {option}"));
        let mut player = entry.build(&line, &PlayerSetup::LOCAL).expect("a player");
        let mut is_won = |position: &AnyPosition| {
            let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
            let mut control = AnyControl::new(&stop, &mut ignore);
            let history = AnyGameHistory::new(position.clone());
            let choice = player.choose(&history, &Limits::default(), &mut control);
            let after = position.after(choice.expect("a move").m);
            outcome(&mut *solver, &after, position.side()) == 1
        };
        endgames.iter().filter(|position| is_won(position)).count()
    };
    assert_eq!(wins("endgames=exact"), ENDGAMES);
    assert_eq!(wins("endgames=exact batch=4 threads=2"), ENDGAMES);
    assert!(wins("endgames=search") < ENDGAMES);
    let chess = error(game("chess"), &line("puct", &file, "endgames=exact"), &PlayerSetup::LOCAL);
    assert!(chess.contains("endgames"), "{chess}");
}

#[test]
fn networks_evaluate_positions() {
    for &entry in games() {
        let (file, start) = (net_file(entry, "evaluates"), entry.game().start());
        let output = entry.learning().evaluate(file.path(), &start).expect("a network");
        assert!(output.value.is_some_and(|value| value.0.abs() <= 1.0), "{output:?}");
        let moves: Vec<_> = output.priors.iter().map(|(m, _)| *m).collect();
        assert_eq!(moves, start.moves(), "{entry:?}");
        let sum: f32 = output.priors.iter().map(|(_, prior)| prior).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{entry:?}: {sum}");
    }
}

#[test]
fn errors_name_the_problem() {
    let (tictactoe, local) = (game("tictactoe"), PlayerSetup::LOCAL);
    let file = net_file(tictactoe, "wrong");
    assert!(error(tictactoe, "puct net=nowhere", &local).contains("nowhere"));
    let unknown = error(game("shobu"), "puct net=nowhere", &local);
    assert!(unknown.contains("known are shobu-4x32"), "{unknown}");
    let of_another = error(game("chess"), &line("puct", &file, ""), &local);
    assert!(of_another.contains("tictactoe") && of_another.contains("chess"), "{of_another}");
    assert!(error(tictactoe, &line("mcts", &file, ""), &SANDBOXED).contains("not read here"));
    assert!(error(tictactoe, "puct net=x root=best", &local).contains("puct or gumbel"));
}

/// Every game plays with an NNUE from a file, whatever its name; one of another game is refused.
#[test]
fn nnue_files_are_evaluations() {
    for &entry in games() {
        let spec = entry.learning().nnue_spec();
        let trainer = NnueTrainer::new(spec, 16, 1).expect("a width");
        let bytes = trainer.quantize(vec!["random".into()]).to_bytes();
        let name = format!("{}-random", spec.game);
        let file = TempFile::new(&name, &bytes);
        let line = format!("alphabeta depth=2 eval={}", file.path().display());
        assert_builds(entry, &line);
        assert!(error(entry, &line, &SANDBOXED).contains("not read"), "sandboxed");
        let other =
            games().iter().find(|other| other.game().name() != spec.game).expect("two games");
        let wrong = error(*other, &line, &PlayerSetup::LOCAL);
        assert!(wrong.contains(&format!("plays {}", spec.game)), "{wrong}");
    }
    let damaged = TempFile::new("damaged.nnue", b"\x02\0\0\0\0\0\0\0{}");
    let line = format!("alphabeta depth=2 eval={}", damaged.path().display());
    assert!(error(game("chess"), &line, &PlayerSetup::LOCAL).contains("metadata"));
}

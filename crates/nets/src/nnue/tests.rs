use std::sync::Arc;

use tablero_chess::Chess;
use tablero_core::conformance::check_reader;
use tablero_core::{Evaluation, Game, Presentable, Rng, Rules, SparseInputs};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use super::*;

/// Positions of random games.
fn positions<G: Game>(start: &G, count: usize, seed: u64) -> Vec<G> {
    let (mut rng, mut all) = (Rng::seeded(seed), Vec::new());
    while all.len() < count {
        let mut position = start.clone();
        while let Some(m) = position.random_move(&mut rng).filter(|_| all.len() < count) {
            all.push(position.clone());
            position.play(m);
        }
    }
    all
}

fn start<G: SparseInputs>() -> G {
    G::start(G::Rules::ALL[0])
}

/// A lookup in any order gives what a fresh computation gives, and about what the floating-point network gives.
fn check_game<G: SparseInputs + Presentable>() {
    let spec = NnueSpec::of::<G>();
    let trainer = NnueTrainer::new(spec, 32, 7).expect("a width");
    let weights = Arc::new(trainer.quantize(vec!["random".into()]));
    let nnue = Nnue::<G>::new(weights).expect("of this game");
    let mut state = nnue.incremental().expect("incremental");
    let (mut samples, mut rng) = (NnueSamples::default(), Rng::seeded(1));
    for (index, position) in positions(&start::<G>(), 400, 3).iter().enumerate() {
        let whole = nnue.evaluate(position);
        let ply = rng.below(6) as usize;
        assert_eq!(state.evaluate(position, ply), whole, "{position:?}");
        samples.push(position, 0.5);
        let float = f64::from(trainer.output(&samples, index)) * spec.scale;
        // The stated bound: a twentieth of a logit.
        assert!((f64::from(whole.0) - float).abs() <= 0.05 * spec.scale + 1.0, "{float} {whole:?}");
    }
}

#[test]
fn updated_accumulators_equal_new_ones() {
    check_game::<Chess>();
    check_game::<Othello>();
    check_game::<Shobu>();
    check_game::<TicTacToe>();
}

fn learn(threads: usize, epochs: usize) -> (NnueTrainer, f64, f64) {
    let mut samples = NnueSamples::default();
    // Who has more discs wins.
    for position in positions(&start::<Othello>(), 4000, 11) {
        let margin = position.mover().count_ones() as f32 - position.other().count_ones() as f32;
        samples.push(&position, 1.0 / (1.0 + (-margin / 8.0).exp()));
    }
    let mut trainer = NnueTrainer::new(NnueSpec::of::<Othello>(), 16, 1).expect("a width");
    let before = trainer.evaluate(&samples).mean();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let (mut order, mut rng) = ((0..samples.len() as u32).collect::<Vec<_>>(), Rng::seeded(2));
    for _ in 0..epochs {
        rng.shuffle(&mut order);
        for batch in order.chunks(500) {
            let settings = NnueTraining { lr: 0.002, weight_decay: 0.01 };
            pool.install(|| trainer.step(&samples, batch, &settings));
        }
    }
    let after = trainer.evaluate(&samples).mean();
    (trainer, before, after)
}

#[test]
fn training_learns_and_does_not_depend_on_threads() {
    let (one, before, after) = learn(1, 6);
    assert!(after < 0.15 * before, "{before} {after}");
    assert_eq!(one, learn(3, 6).0);
}

#[test]
fn training_resumes_from_its_state() {
    let (trainer, ..) = learn(2, 1);
    let spec = NnueSpec::of::<Othello>();
    let bytes = trainer.state();
    assert_eq!(NnueTrainer::from_state(spec, &bytes).expect("a state"), trainer);
    assert!(NnueTrainer::from_state(spec, &bytes[..bytes.len() - 1]).is_err());
    assert!(NnueTrainer::from_state(NnueSpec::of::<TicTacToe>(), &bytes).is_err());
    let weights = trainer.quantize(Vec::new());
    let again = NnueTrainer::from_weights(spec, &weights).expect("weights");
    assert_eq!(again.quantize(Vec::new()), weights);
}

fn small() -> NnueWeights {
    let trainer = NnueTrainer::new(NnueSpec::of::<TicTacToe>(), 16, 3).expect("a width");
    trainer.quantize(vec!["made for a test".into()])
}

#[test]
fn files_round_trip_and_are_checked() {
    let weights = small();
    assert_eq!(NnueWeights::from_bytes(&weights.to_bytes()).expect("a file"), weights);
    weights.check(&NnueSpec::of::<TicTacToe>()).expect("of this game");
    let error = weights.check(&NnueSpec::of::<Othello>()).expect_err("another game").to_string();
    assert_eq!(error, "the network plays tictactoe, not othello");
    let changed = |change: fn(&mut NnueWeights)| {
        let mut weights = small();
        change(&mut weights);
        let read = NnueWeights::from_bytes(&weights.to_bytes());
        let checked =
            read.and_then(|weights| weights.check(&NnueSpec::of::<TicTacToe>()).map(|()| weights));
        checked.expect_err("invalid").to_string()
    };
    assert!(changed(|w| w.output[0] = 200).contains("out of range"));
    assert!(changed(|w| w.version = 9).contains("version 9"));
    assert!(changed(|w| w.scale = f64::NAN).contains("scale"));
    assert!(changed(|w| w.rows.truncate(32)).contains("2 features"));
    assert!(NnueTrainer::new(NnueSpec::of::<TicTacToe>(), 17, 1).is_err());
}

#[test]
fn reading_never_panics() {
    let bytes = small().to_bytes();
    check_reader(&[&bytes], 300, 1, |bytes| {
        let _ = NnueWeights::from_bytes(bytes);
    });
}

#[test]
fn the_scale_of_chess_is_the_usual_one() {
    let scale = NnueSpec::of::<Chess>().scale;
    assert!((300.0..340.0).contains(&scale), "{scale}");
}

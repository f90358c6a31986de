//! Trains a network to play tic-tac-toe from solved positions: `cargo run --release --example train_network`.

#![allow(clippy::print_stdout, reason = "an example program prints its results")]

use std::collections::HashMap;
use std::error::Error;

use tablero_core::{ForMover, Game, PolicyValue, StandardRules, Wdl};
use tablero_learn::{
    LabeledPosition, LrSchedule, TrainingBackend, TrainingPlan, TrainingRun, distinct_moves,
};
use tablero_nets::{EncodingSpec, GameNet, Weights};
use tablero_tictactoe::TicTacToe;
/// The value of a position with perfect play: 1 won, 0 drawn, -1 lost for the side to move.
fn solve(position: &TicTacToe, known: &mut HashMap<TicTacToe, i8>) -> i8 {
    if let Some(&value) = known.get(position) {
        return value;
    }
    let value = match position.outcome() {
        Some(outcome) => match outcome.wdl(position.side()) {
            Wdl::Win => 1,
            Wdl::Draw => 0,
            Wdl::Loss => -1,
        },
        None => {
            position.moves().iter().map(|&m| -solve(&position.after(m), known)).max().unwrap_or(0)
        }
    };
    known.insert(*position, value);
    value
}
/// What the network learns in a position: its value, and all best moves equally.
fn label(position: TicTacToe, known: &HashMap<TicTacToe, i8>) -> LabeledPosition<TicTacToe> {
    let value = known[&position];
    let moves = distinct_moves(&position);
    let is_best = |m: &u8| -known[&position.after(*m)] == value;
    let best = moves.iter().filter(|m| is_best(m)).count() as f32;
    let policy =
        (0..).zip(&moves).filter(|(_, m)| is_best(m)).map(|(index, _)| (index, 1.0 / best));
    LabeledPosition {
        position,
        seen: 0,
        value: ForMover(value.into()),
        policy: policy.collect(),
        weight: 1.0,
        game: 0,
        last: None,
    }
}
fn train(positions: &[LabeledPosition<TicTacToe>], steps: u64) -> Result<Weights, Box<dyn Error>> {
    let initial = Weights::random("resnet 2x16".parse()?, &EncodingSpec::of::<TicTacToe>(), 1)?;
    let plan = TrainingPlan {
        lr: 0.005,
        lr_schedule: LrSchedule::Cosine,
        steps,
        batch_size: 64,
        sgd: false,
        weight_decay: 1e-4,
        by_epoch: true,
        symmetries: true,
        seed: 1,
        backend: TrainingBackend::Native,
        device: None,
    };
    let mut run = TrainingRun::new(positions, plan, initial, 2)?;
    while !run.is_finished() {
        let losses = run.step();
        if run.steps_done() % 100 == 0 {
            println!(
                "step {}: value {:.3}, policy {:.3}",
                run.steps_done(),
                losses.value,
                losses.policy
            );
        }
    }
    Ok(run.weights())
}

/// The share of positions in which the network's favourite move is a best one.
fn accuracy(weights: &Weights, known: &HashMap<TicTacToe, i8>) -> Result<f64, Box<dyn Error>> {
    let mut net = GameNet::<TicTacToe>::new(weights)?;
    let (mut right, mut all) = (0.0, 0.0);
    for (position, value) in known.iter().filter(|(position, _)| position.outcome().is_none()) {
        let moves = position.moves();
        let mut priors = vec![0.0; moves.len()];
        PolicyValue::evaluate(&mut net, position, 0, &moves, &mut priors);
        let best = moves.iter().zip(&priors).max_by(|a, b| a.1.total_cmp(b.1));
        let (m, _) = best.ok_or("no moves")?;
        right += f64::from(u8::from(-known[&position.after(*m)] == *value));
        all += 1.0;
    }
    Ok(right / all)
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let mut known = HashMap::new();
    solve(&TicTacToe::start(StandardRules), &mut known);
    let positions: Vec<_> = known
        .keys()
        .filter(|position| position.outcome().is_none())
        .map(|&position| label(position, &known))
        .collect();
    println!("{} positions", positions.len());
    let weights = train(&positions, 600)?;
    let share = accuracy(&weights, &known)?;
    println!("a best move in {:.1} % of all positions", 100.0 * share);
    // Every trained artifact records its provenance; `puct net=FILE` plays with it.
    let file = std::env::temp_dir().join(format!("tictactoe-{}.safetensors", std::process::id()));
    weights.write(&file)?;
    println!("written to {}", file.display());
    std::fs::remove_file(file)?;
    if share > 0.9 { Ok(()) } else { Err("the network has not learned the game".into()) }
}

//! Batches of positions against single games.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tablero_core::{AnyControl, AnyGameHistory, AnyPosition, Limits, PlayerSetup, Side, Wdl};
use tablero_registry::{
    BatchEvaluation, BatchPolicyValue, GameEntry, IllegalAction, NetSource, PolicyValues,
    PositionBatch,
};

use super::games;

/// Starting positions.
fn starts(entry: &dyn GameEntry, count: usize) -> Box<dyn PositionBatch> {
    let mut batch = entry.batch();
    let start = AnyGameHistory::new(entry.game().start());
    (0..count).for_each(|_| assert!(batch.push(&start)));
    batch
}

#[test]
fn batches_play_like_single_games() {
    for &entry in games() {
        let mut batch = starts(entry, 3);
        let mut singles = vec![AnyGameHistory::new(entry.game().start()); 3];
        for ply in 0..150 {
            let actions = batch.sample_actions(ply, 2);
            let legal = batch.legal_actions(1);
            let mut first = 0;
            for (index, single) in singles.iter_mut().enumerate() {
                let count = legal.counts[index] as usize;
                let own = &legal.actions[first..first + count];
                first += count;
                let moves = single.moves();
                assert_eq!(count, moves.len(), "{:?}", single.position());
                if let Ok(action) = u32::try_from(actions[index]) {
                    let at = own.iter().position(|legal| *legal == action).expect("legal");
                    single.play(moves[at]).expect("legal");
                }
            }
            batch.play(&actions, 2).expect("legal");
        }
        let outcomes = batch.outcomes(1);
        for (index, single) in singles.iter().enumerate() {
            assert_eq!(batch.position(index).as_ref(), Some(single.position()));
            assert_eq!(outcomes[index], single.end().map(|end| end.outcome));
        }
    }
}

#[test]
fn illegal_actions_play_nothing() {
    let mut batch = starts(games()[0], 2);
    let keys = batch.keys();
    let legal = i64::from(batch.legal_actions(1).actions[0]);
    let wrong: [&[i64]; 4] = [&[legal, 1 << 40], &[legal, -2], &[legal, 0], &[legal]];
    for actions in wrong {
        assert!(batch.play(actions, 1).is_err());
        assert_eq!(batch.keys(), keys);
    }
    let count = batch.play(&[], 1);
    assert_eq!(count, Err(IllegalAction::Count { found: 0, expected: 2 }));
    assert!(!batch.extend(&*games()[1].batch()));
    assert!(batch.select(&[0, 2]).is_none());
}

/// Wins of the mover in playouts: a poor evaluation, but one of batches.
struct Playouts(AtomicUsize);

impl Playouts {
    fn values(&self, positions: &dyn PositionBatch) -> Vec<f32> {
        self.0.fetch_max(positions.len(), Ordering::Relaxed);
        let playouts = positions.playouts(1, 1000, 1, 1);
        let value = |(playout, side): (&tablero_registry::Playout, u8)| match playout
            .outcome
            .wdl(Side::BOTH[usize::from(side)])
        {
            Wdl::Win => 0.5,
            Wdl::Draw => 0.0,
            Wdl::Loss => -0.5,
        };
        playouts.iter().zip(positions.sides()).map(value).collect()
    }
}

impl BatchEvaluation for Playouts {
    fn evaluate(&self, positions: Box<dyn PositionBatch>) -> Vec<i32> {
        self.values(&*positions).iter().map(|value| (100.0 * value) as i32).collect()
    }
}

impl BatchPolicyValue for Playouts {
    fn evaluate(&self, positions: Box<dyn PositionBatch>) -> PolicyValues {
        PolicyValues { values: self.values(&*positions), priors: None }
    }
}

fn plays(mut player: Box<tablero_core::AnyPlayer>, start: &AnyPosition) {
    let game = AnyGameHistory::new(start.clone());
    let stop = std::sync::atomic::AtomicBool::new(false);
    let found = player.choose(&game, &Limits::default(), &mut AnyControl::new(&stop, &mut |_| {}));
    assert!(start.is_legal(found.expect("a move").m));
}

#[test]
fn evaluations_from_outside_are_called_with_batches() {
    let setup = PlayerSetup::LOCAL;
    for &entry in games() {
        let start = entry.game().start();
        for line in ["greedy", "minimax depth=2", "alphabeta depth=2"] {
            let evaluation = Arc::new(Playouts(AtomicUsize::new(0)));
            let player = entry.build_with_evaluation(line, &setup, Arc::clone(&evaluation) as _);
            plays(player.expect(line), &start);
            assert!(evaluation.0.load(Ordering::Relaxed) > 1, "{line}: siblings come together");
        }
        let net = Arc::new(Playouts(AtomicUsize::new(0)));
        let source = || NetSource::Function(Arc::clone(&net) as _);
        plays(entry.build_with_net("mcts iterations=20", &setup, source()).expect("mcts"), &start);
        let player = entry.build_with_net("puct sims=40 batch=4", &setup, source());
        plays(player.expect("puct"), &start);
        assert_eq!(net.0.load(Ordering::Relaxed), 4, "leaves come together");
        for line in ["random", "puct net=x", "mcts playout=eval", "puct simulations=3"] {
            assert!(entry.build_with_net(line, &setup, source()).is_err(), "{line}");
        }
    }
}

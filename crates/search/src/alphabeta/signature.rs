use std::sync::atomic::AtomicBool;

use tablero_core::{Control, GameHistory, GameType, Limits, Player, Rng, Tactics};

use super::{AlphaBeta, AlphaBetaOptions};

/// Positions of a [`signature`].
const POSITIONS: u64 = 12;

/// Node counts of single-threaded searches to `depth` with default options, over a fixed set of
/// positions: the start position and others reached by random moves.
///
/// The counts are the same on every machine. A change that is not meant to affect the search must
/// not change them.
pub fn signature<G: Tactics>(depth: u32) -> Vec<u64> {
    let mut options = AlphaBetaOptions::for_game::<G>();
    options.limits.depth = Some(depth);
    let mut player = AlphaBeta::new(options, G::evaluations()[0].hand_tuned());
    let stop = AtomicBool::new(false);
    let mut nodes = |game: &GameHistory<G>| {
        player.new_game(0);
        let mut ignore = |_: &_| {};
        let mut control = Control::new(&stop, &mut ignore);
        let result = player.choose(game, &Limits::default(), &mut control);
        result.map_or(0, |result| result.info.nodes)
    };
    (0..POSITIONS).map(|number| nodes(&opening(number))).collect()
}

/// A game after `3 * number` random moves, or fewer if it would be over.
fn opening<G: GameType>(number: u64) -> GameHistory<G> {
    let mut rng = Rng::for_stream(1, number);
    let mut game = GameHistory::new(G::start(G::Rules::default()));
    for _ in 0..3 * number {
        let Some(m) = game.position().random_move(&mut rng) else {
            break;
        };
        if game.play(m).is_err() {
            break;
        }
    }
    if game.end().is_some() {
        game.undo();
    }
    game
}

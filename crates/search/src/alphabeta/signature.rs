use std::sync::atomic::AtomicBool;

use tablero_core::{Control, GameType, Limits, Match, Player, Rng, Tactics};

use super::{AlphaBeta, AlphaBetaOptions};

/// Positions of a [`signature`].
const POSITIONS: u64 = 12;

/// How many positions a search with the usual options looks at, to `depth` plies, from each of a
/// fixed set of positions: the start and others that random moves lead to.
///
/// It is the same on every machine. A change that should not change how the search plays must not
/// change it.
pub fn signature<G: Tactics>(depth: u32) -> Vec<u64> {
    let mut options = AlphaBetaOptions::of::<G>();
    options.limits.depth = Some(depth);
    let mut player = AlphaBeta::new(options, G::evaluations()[0].by_hand());
    let stop = AtomicBool::new(false);
    let mut nodes = |game: &Match<G>| {
        player.new_game(0);
        let mut ignore = |_: &_| {};
        let mut control = Control::new(&stop, &mut ignore);
        let choice = player.choose(game, &Limits::default(), &mut control);
        choice.map_or(0, |choice| choice.info.nodes)
    };
    (0..POSITIONS).map(|number| nodes(&opening(number))).collect()
}

/// A game that began with `3 * number` random moves, or as many as leave it undecided.
fn opening<G: GameType>(number: u64) -> Match<G> {
    let mut rng = Rng::for_part(1, number);
    let mut game = Match::new(G::start(G::Rules::default()));
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

//! A person's progress: rating by results against levels, accuracy and mistakes of reviewed games.

use tablero_core::AnyGame;
use tablero_training::{Performance, performance};

use crate::api::{
    GameSummary, HumanGame, HumanResult, Judgement, ProgressPoint, ProgressView, RatingEstimate,
    Review,
};
use crate::game_file::{GameFile, HUMAN};
use crate::results::human_results;

/// The games that a rating is estimated from.
const WINDOW: usize = 30;
/// Where nothing is known yet: a third of the ladder.
const FIRST_LEVEL_PART: usize = 3;

/// The rating of an opponent on the game's scale, if it is a level.
fn opponent_rating(game: AnyGame, line: &str) -> Option<f64> {
    let word = line.trim().strip_prefix("level ")?.trim();
    let named = game.named_levels().into_iter().find(|(name, _)| *name == word);
    let word = named.map_or(word, |(_, line)| line.strip_prefix("level ").unwrap_or(word));
    let number: usize = word.parse().ok()?;
    let level = game.ladder().get(number.checked_sub(1)?)?;
    Some(f64::from(game.rating(level)))
}

/// The rated games of a person: opponent's rating and score.
fn rated(game: AnyGame, games: &[HumanGame]) -> Vec<(f64, f64, &HumanGame)> {
    let score = |one: &HumanGame| match one.result {
        HumanResult::Win => 1.0,
        HumanResult::Draw => 0.5,
        HumanResult::Loss => 0.0,
    };
    let rate = |one: &'_ HumanGame| opponent_rating(game, &one.player);
    games.iter().filter_map(|one| Some((rate(one)?, score(one), one))).collect()
}

fn estimate(results: &[(f64, f64, &HumanGame)]) -> Option<Performance> {
    let first = results.len().saturating_sub(WINDOW);
    let window: Vec<_> =
        results[first..].iter().map(|&(rating, score, _)| (rating, score)).collect();
    performance(&window)
}

/// The level whose rating is nearest to a person's, from 1.
pub(crate) fn adaptive_level(game: AnyGame, finished: Vec<GameSummary>) -> u32 {
    let results = human_results(finished);
    nearest_level(game, estimate(&rated(game, &results.games)))
}

fn nearest_level(game: AnyGame, estimated: Option<Performance>) -> u32 {
    let ladder = game.ladder();
    let Some(Performance { rating, .. }) = estimated else {
        return (ladder.len() / FIRST_LEVEL_PART).max(1) as u32;
    };
    let distance = |level: &tablero_core::Level| (f64::from(game.rating(level)) - rating).abs();
    let nearest = (1..).zip(ladder).min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    nearest.map_or(1, |(number, _)| number)
}

/// The progress in one game; `reviewed` are the finished games with a review.
pub(crate) fn progress(
    game: AnyGame,
    finished: Vec<GameSummary>,
    reviewed: &[(String, GameFile)],
) -> ProgressView {
    let results = human_results(finished);
    let rated = rated(game, &results.games);
    let history = (1..=rated.len()).filter_map(|count| {
        let (_, _, last) = rated[count - 1];
        let estimate = estimate(&rated[..count])?;
        Some(ProgressPoint { at: last.created, value: estimate.rating, id: last.id.clone() })
    });
    let estimated = estimate(&rated);
    let mut view = ProgressView {
        game: game.to_string(),
        games: rated.len() as u64,
        rating: estimated.map(|Performance { rating, error }| RatingEstimate { rating, error }),
        level: nearest_level(game, estimated),
        history: history.collect(),
        accuracy: Vec::new(),
        mistakes: [[0; 3]; 3],
        moves: [0; 3],
    };
    for (id, file) in reviewed {
        add_review(&mut view, id, file);
    }
    view.accuracy.sort_by(|a, b| a.at.total_cmp(&b.at));
    view
}

fn add_review(view: &mut ProgressView, id: &str, file: &GameFile) {
    let Some(review) = &file.review else { return };
    let humans = file.players.each_ref().map(|seat| seat.player == HUMAN);
    for side in (0..2).filter(|side| humans[*side]) {
        if let Some(accuracy) = review.accuracy[side] {
            view.accuracy.push(ProgressPoint { at: file.created, value: accuracy, id: id.into() });
        }
        count_mistakes(view, review, side);
    }
}

fn count_mistakes(view: &mut ProgressView, review: &Review, side: usize) {
    let plies = review.moves.len().max(1);
    for (ply, reviewed) in review.moves.iter().enumerate().filter(|(ply, _)| ply % 2 == side) {
        // Thirds of the game.
        let phase = 3 * ply / plies;
        view.moves[phase] += 1;
        let kind = match reviewed.judgement {
            Judgement::Inaccuracy => 0,
            Judgement::Mistake => 1,
            Judgement::Blunder => 2,
            Judgement::Best | Judgement::Good | Judgement::Forced => continue,
        };
        view.mistakes[phase][kind] += 1;
    }
}

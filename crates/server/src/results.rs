//! Results of people against engines.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::api::{GameSummary, HumanGame, HumanResult, HumanResults, OpponentResults, Side};
use crate::game_file::HUMAN;

/// The most games that are listed.
const MAX_GAMES: usize = 2000;

/// The results of finished games between a person and an engine; other games do not count.
pub(crate) fn human_results(finished: Vec<GameSummary>) -> HumanResults {
    let mut games: Vec<HumanGame> = finished.into_iter().filter_map(human_game).collect();
    games.sort_by(|a, b| a.created.total_cmp(&b.created));
    let mut opponents: BTreeMap<(String, String), [u64; 3]> = BTreeMap::new();
    for game in &games {
        let key = (game.game.clone(), game.player.clone());
        opponents.entry(key).or_default()[game.result as usize] += 1;
    }
    let opponent = |((game, player), results)| OpponentResults { game, player, results };
    let mut opponents: Vec<OpponentResults> = opponents.into_iter().map(opponent).collect();
    // Stable: by name where the numbers are equal.
    opponents.sort_by_key(|opponent| Reverse(opponent.results.iter().sum::<u64>()));
    let first = games.len().saturating_sub(MAX_GAMES);
    HumanResults { opponents, games: games.split_off(first) }
}

fn human_game(game: GameSummary) -> Option<HumanGame> {
    let end = game.end?;
    let is_human = game.players.each_ref().map(|seat| seat.player == HUMAN);
    let [first, second] = game.players;
    let (side, person, engine) = match is_human {
        [true, false] => (Side::First, first, second),
        [false, true] => (Side::Second, second, first),
        _ => return None,
    };
    let result = match end.winner {
        None => HumanResult::Draw,
        Some(winner) if winner == side => HumanResult::Win,
        Some(_) => HumanResult::Loss,
    };
    Some(HumanGame {
        id: game.id,
        game: game.game,
        name: person.name,
        player: engine.player,
        result,
        created: game.created,
    })
}

//! The memory of a job's players, within the server's budget.

use std::num::NonZeroUsize;

use serde_json::Value;
use tablero_registry::GameEntry;

use crate::api::Problem;
use crate::players::PlayerFactory;

/// How the players of a job share memory, in MB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JobMemory {
    /// Games at a time.
    pub(super) threads: NonZeroUsize,
    /// For players between games.
    pub(super) idle: usize,
    /// For all players.
    pub(super) total: usize,
}

impl JobMemory {
    /// Divides the budget of all players. A job gets half of it, unless one game needs more; games at a time are
    /// as many as fit.
    pub(super) fn new(players: &[usize], max_threads: NonZeroUsize, budget: usize) -> Self {
        let (game, share) = (of_one_game(players), budget / 2);
        let fitting = NonZeroUsize::new(share / game.max(1)).unwrap_or(NonZeroUsize::MIN);
        let threads = max_threads.min(fitting);
        let playing = game * threads.get();
        // Every thread has at most one player of each line.
        let all = players.iter().map(|size| size + PLAYER_MB).sum::<usize>() * threads.get();
        let share = share.max(playing);
        let (idle, total) = if all <= share { (all, all) } else { (share - playing, share) };
        Self { threads, idle, total }
    }
}

/// What a player takes besides its tables.
const PLAYER_MB: usize = 1;

/// The memory of the players of one game at most.
fn of_one_game(players: &[usize]) -> usize {
    let mut sizes = players.to_vec();
    sizes.sort_unstable();
    sizes.iter().rev().take(2).sum()
}

/// Checks that the players of a game fit into the budget of all players.
pub(super) fn check(players: &[usize], budget: usize) -> Result<(), Problem> {
    let megabytes = of_one_game(players);
    if megabytes <= budget { Ok(()) } else { Err(Problem::PlayersTooLarge { megabytes, budget }) }
}

/// The memory of every player that a job's configuration names.
pub(super) fn of_players(
    entry: &'static dyn GameEntry,
    config: &Value,
    players: &PlayerFactory,
) -> Vec<usize> {
    let mut lines = Vec::new();
    find_lines(config, &mut lines);
    let size = |line: &str| players.resolve(entry, line).ok()?.table_mb();
    lines.into_iter().map(|line| size(line).unwrap_or(0)).collect()
}

/// The player lines in a configuration; one that plays against itself, as in evolutions, twice.
fn find_lines<'a>(config: &'a Value, lines: &mut Vec<&'a str>) {
    match config {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("player", Value::String(line)) => lines.extend([line.as_str(); 2]),
                    ("line", Value::String(line)) => lines.push(line),
                    ("players" | "opponents", Value::Array(values)) => {
                        lines.extend(values.iter().filter_map(Value::as_str));
                        find_lines(value, lines);
                    }
                    _ => find_lines(value, lines),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| find_lines(value, lines)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn memory(players: &[usize], threads: usize, budget: usize) -> (usize, usize, usize) {
        let threads = NonZeroUsize::new(threads).expect("threads");
        let memory = JobMemory::new(players, threads, budget);
        (memory.threads.get(), memory.idle, memory.total)
    }

    #[test]
    fn a_job_takes_half_of_the_budget() {
        assert_eq!(memory(&[16, 16], 15, 1024), (15, 510, 510), "everything fits");
        assert_eq!(memory(&[128, 128], 15, 1024), (2, 0, 512), "fewer games at a time");
        assert_eq!(memory(&[128; 7], 1, 1024), (1, 256, 512), "few players between games");
        assert_eq!(memory(&[512; 7], 15, 1024), (1, 0, 1024), "one game needs more");
        assert_eq!(memory(&[0, 0], 3, 16), (3, 6, 6), "external engines stay");
        assert_eq!(memory(&[], 3, 16), (3, 0, 0));
    }

    #[test]
    fn games_beyond_the_budget_are_refused() {
        assert_eq!(check(&[512, 1, 512], 1024), Ok(()));
        let refused = Problem::PlayersTooLarge { megabytes: 1025, budget: 1024 };
        assert_eq!(check(&[512, 513, 1], 1024), Err(refused));
    }

    #[test]
    fn lines_are_found_in_every_kind_of_job() {
        let config = json!({
            "players": ["a", "b"], "opponents": ["c"], "player": "d", "games": 3,
            "teacher": {"player": "e"}, "experiment": {"matches": [{"players": [{"line": "f"}]}]}
        });
        let mut lines = Vec::new();
        find_lines(&config, &mut lines);
        lines.sort_unstable();
        assert_eq!(lines, ["a", "b", "c", "d", "d", "e", "e", "f"]);
    }
}

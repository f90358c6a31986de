//! Self-play of networks.

use tablero_connectfour::ConnectFour;
use tablero_core::{GameType, Side};
use tablero_learn::{GameData, SelfPlayConfig, SelfPlayTask, Source};
use tablero_nets::Weights;
use tablero_othello::Othello;
use tablero_registry::GameEntry;

use crate::{game, games, play};

/// A task of games of a random network.
fn task(entry: &dyn GameEntry, folder: &std::path::Path) -> SelfPlayTask {
    let name = entry.game().name();
    let file = folder.join(format!("{name}.safetensors"));
    let kind = "resnet 1x16".parse().expect("a kind");
    let spec = entry.learning().spec().encoding;
    Weights::random(kind, &spec, 7).expect("fits").write(&file).expect("written");
    SelfPlayTask {
        game: name.into(),
        rules: String::new(),
        source: Source::Net(file.to_string_lossy().into()),
        config: SelfPlayConfig {
            sims: 8,
            fast_sims: 4,
            max_plies: 80,
            random_move_prob: 0.0,
            ..SelfPlayConfig::for_game(entry.game())
        },
        seed: 9,
        first: 0,
        count: 5,
        record_times: false,
        opponent: None,
        rating: None,
    }
}

/// Neither games that share batches nor remembered evaluations matter.
#[test]
fn games_played_together_are_those_played_alone() {
    let folder = crate::Folder::new("together");
    std::fs::create_dir_all(&folder.0).expect("a folder");
    for &entry in games() {
        let task = task(entry, &folder.0);
        let together = play(entry, &task);
        let alone = |first| play(entry, &SelfPlayTask { first, count: 1, ..task.clone() });
        let alone: Vec<GameData> = (0..task.count).flat_map(alone).collect();
        assert_eq!(together, alone, "{}", entry.game());
        let timed = play(entry, &SelfPlayTask { record_times: true, ..task });
        let untimed = |game| GameData { median_micros: None, median_cpu_micros: None, ..game };
        assert!(timed.into_iter().map(untimed).eq(together), "{}", entry.game());
    }
}

/// From the first solved position on, every value is the result of the game.
fn endgames_are_exact<G: GameType>(first_ply: u16) {
    let folder = crate::Folder::new(G::NAME);
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let entry = game(G::NAME);
    let mut task = task(entry, &folder.0);
    task.config = SelfPlayConfig {
        exact_endgames: true,
        full_search_prob: 1.0,
        resign_threshold: 1.0,
        random_plies: 10,
        ..task.config
    };
    task.count = 40;
    let mut solved = 0;
    for game in play(entry, &task) {
        let passes = game.moves.iter().take(first_ply.into()).filter(|m| *m == "pass").count();
        for target in game.targets.iter().filter(|t| t.ply >= first_ply + passes as u16) {
            let side = Side::BOTH[usize::from(target.ply % 2)];
            let result = if side == Side::First { game.margin } else { -game.margin };
            assert_eq!(target.value, 10_000 * result.signum(), "{:?}", game.moves);
            assert_eq!(target.policy.len(), 1);
            solved += 1;
        }
    }
    assert!(solved > 0);
}

#[test]
fn endgames_are_played_exactly() {
    endgames_are_exact::<Othello>(48);
    endgames_are_exact::<ConnectFour>(22);
}

//! An archive against the games it was made of.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tablero_archive::{Archive, FILE_NAME, GameResult, ImportOptions, ImportReport, Query, Source};
use tablero_chess::Chess;
use tablero_connectfour::ConnectFour;
use tablero_core::{AnyGame, AnyGameHistory, AnyPosition, AnyRecord, Game as _, Rng, Side, pgn};
use tablero_jobs::CancellationToken;
use tablero_othello::Othello;
use tablero_shobu::Shobu;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("tablero-archive-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn archive(&self) -> Archive {
        Archive::open(&self.0, &games()).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn games() -> [AnyGame; 4] {
    [
        AnyGame::of::<Othello>(),
        AnyGame::of::<Chess>(),
        AnyGame::of::<Shobu>(),
        AnyGame::of::<ConnectFour>(),
    ]
}

fn random_game(game: AnyGame, seed: u64) -> AnyRecord {
    let mut rng = Rng::for_stream(7, seed);
    let mut history = AnyGameHistory::new(game.start());
    while history.plies() < 50
        && let Some(m) = history.position().random_move(&mut rng)
        && history.play(m).is_ok()
    {}
    let mut record = AnyRecord::from_history(&history);
    record.players = [format!("Ana {}", seed % 7), format!("Ümit {}", seed % 5)];
    record.set_tag("Event", ["Open", "Cup"][seed as usize % 2]);
    record.set_tag("Date", format!("{}.05.??", 2000 + seed % 10));
    record.set_tag("Round", seed.to_string());
    record
}

fn import(archive: &Archive, text: &str) -> ImportReport {
    let source = [Source::bytes("games.pgn", text.as_bytes())];
    archive.import(&source, &ImportOptions::default(), &mut |_| {}).unwrap()
}

fn text_of(records: &[AnyRecord]) -> String {
    records.iter().map(pgn::write).collect()
}

#[test]
fn games_of_every_kind_round_trip() {
    let folder = Folder::new("round-trip");
    let archive = folder.archive();
    for game in games() {
        let records: Vec<_> = (0..30).map(|seed| random_game(game, seed)).collect();
        let report = import(&archive, &text_of(&records));
        assert_eq!((report.games, report.skipped, report.duplicates), (30, 0, 0), "{game}");
        let ids = archive.ids(&Query { game: Some(game), ..Query::default() }).unwrap();
        for (id, record) in ids.into_iter().zip(&records) {
            let read = archive.game(id).unwrap();
            assert_eq!(pgn::write(&read), pgn::write(record), "{game}");
        }
    }
    assert_eq!(archive.stats().unwrap().games, 120);
}

#[test]
fn annotated_games_and_other_starts_are_kept_whole() {
    let folder = Folder::new("annotated");
    let archive = folder.archive();
    let annotated = "[Event \"?\"]\n[White \"Ana\"]\n[Black \"Bo\"]\n\n1. e4! {best by test} e5 (1... c5 2. Nf3) 2. Nf3 *\n";
    let set_up =
        "[White \"Ana\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 2. e5 1/2-1/2\n";
    for text in [annotated, set_up] {
        let record = pgn::read_one(AnyGame::of::<Chess>(), text).unwrap();
        assert_eq!(import(&archive, text).games, 1);
        let id = archive.ids(&Query::default()).unwrap().pop().unwrap();
        assert_eq!(pgn::write(&archive.game(id).unwrap()), pgn::write(&record));
    }
}

#[test]
fn nothing_is_imported_twice() {
    let folder = Folder::new("twice");
    let archive = folder.archive();
    let records: Vec<_> = (0..50).map(|seed| random_game(AnyGame::of::<Othello>(), seed)).collect();
    let text = text_of(&records);
    assert_eq!(import(&archive, &text).games, 50);
    let again = import(&archive, &(text.clone() + &text));
    assert_eq!((again.games, again.duplicates), (0, 100));
    // Other players, same moves: another game.
    let mut other = records[0].clone();
    other.players[0] = "Carla".into();
    assert_eq!(import(&archive, &pgn::write(&other)).games, 1);
    // Another process opens the file and knows the games too.
    assert_eq!(import(&folder.archive(), &text).duplicates, 50);
    assert!(!archive.add(records[3].clone()).unwrap());
}

#[test]
fn invalid_games_are_reported_and_skipped() {
    let folder = Folder::new("invalid");
    let archive = folder.archive();
    let good = pgn::write(&random_game(AnyGame::of::<Chess>(), 1));
    let text =
        format!("{good}[Event \"x\"]\n\n1. e4 e9 2. Nf3 *\n\n{good}[Event \"empty\"]\n\n*\n");
    let sources = [
        Source::bytes("games.pgn", text.as_bytes()),
        Source::bytes("noise.bin", &[0, 1, 2, 255, 254]),
        Source::bytes("missing.txt", b""),
    ];
    let report = archive.import(&sources, &ImportOptions::default(), &mut |_| {}).unwrap();
    assert_eq!((report.games, report.duplicates, report.skipped), (1, 1, 4));
    let problem = &report.problems[0];
    assert_eq!((problem.file.as_str(), problem.game), ("games.pgn", Some(2)));
    assert!(problem.reason.contains("found `e9`"), "{}", problem.reason);
    assert_eq!(
        (report.problems[1].game, report.problems[1].reason.as_str()),
        (Some(4), "it has no moves")
    );
    assert_eq!(report.problems[2].game, None);
}

/// The positions of a game's first plies, up to symmetry, with the image of each move.
fn canonical_moves(record: &AnyRecord) -> Vec<(u64, Option<u16>)> {
    let mut position = record.start.clone();
    let mut seen = Vec::new();
    for ply in record.plies.iter().take(32) {
        let key = position.canonical().key;
        if seen.iter().all(|(known, _)| *known != key) {
            seen.push((key, position.canonical_code(ply.m)));
        }
        position.play(ply.m);
    }
    seen
}

#[test]
fn the_explorer_counts_what_was_played() {
    let folder = Folder::new("explorer");
    let archive = folder.archive();
    for game in games() {
        let records: Vec<_> = (0..300).map(|seed| random_game(game, seed)).collect();
        import(&archive, &text_of(&records));
        let mut counts: HashMap<u64, HashMap<u16, [u64; 4]>> = HashMap::new();
        for record in &records {
            let winner = record.end.map(|end| end.outcome.winner());
            let result = match winner {
                None => 0,
                Some(Some(Side::First)) => 1,
                Some(None) => 2,
                Some(Some(Side::Second)) => 3,
            };
            for (key, code) in canonical_moves(record) {
                counts.entry(key).or_default().entry(code.unwrap()).or_default()[result] += 1;
            }
        }
        for record in records.iter().step_by(20) {
            let mut position = record.start.clone();
            for (symmetry, ply) in record.plies.iter().take(32).enumerate() {
                // Any image of the position gives the same answer.
                let image = position.transform(symmetry % game.info().symmetries);
                check_explored(&archive, &image, &counts);
                position.play(ply.m);
            }
        }
    }
}

fn check_explored(
    archive: &Archive,
    position: &AnyPosition,
    counts: &HashMap<u64, HashMap<u16, [u64; 4]>>,
) {
    let explored = archive.explore(position, 3).unwrap();
    let expected = &counts[&position.canonical().key];
    assert_eq!(explored.moves.len(), expected.len());
    for played in &explored.moves {
        let counts = expected[&position.canonical_code(played.m).unwrap()];
        let [first, draws, second] = [counts[1], counts[2], counts[3]];
        let (wins, losses) =
            if position.side() == Side::First { (first, second) } else { (second, first) };
        assert_eq!(played.games, counts.iter().sum::<u64>());
        assert_eq!((played.wins, played.draws, played.losses), (wins, draws, losses));
    }
    assert!(explored.latest.len() as u64 == explored.games.min(3));
}

#[test]
fn filters_agree_with_a_linear_search() {
    let folder = Folder::new("filters");
    let archive = folder.archive();
    let othello = AnyGame::of::<Othello>();
    let records: Vec<_> = (0..200).map(|seed| random_game(othello, seed)).collect();
    import(&archive, &text_of(&records));
    let count = |query: Query| archive.search(&query).unwrap().total as usize;
    let expected =
        |matches: &dyn Fn(&AnyRecord) -> bool| records.iter().filter(|r| matches(r)).count();
    let year = |record: &AnyRecord| record.tag("Date").unwrap()[..4].parse::<u16>().unwrap();

    let query = || Query { game: Some(othello), ..Query::default() };
    assert_eq!(count(query()), 200);
    assert_eq!(count(Query { game: Some(AnyGame::of::<Chess>()), ..query() }), 0);
    assert_eq!(
        count(Query { player: Some("ana 3".into()), ..query() }),
        expected(&|record| record.players[0] == "Ana 3")
    );
    // Accents and case do not matter, and the side is that of the player.
    let umit = Some("UMIT 2".to_owned());
    assert_eq!(
        count(Query { player: umit.clone(), ..query() }),
        expected(&|r| r.players[1] == "Ümit 2")
    );
    assert_eq!(count(Query { player: umit.clone(), side: Some(Side::First), ..query() }), 0);
    assert_eq!(
        count(Query { player: umit, opponent: Some("Ana 1".into()), ..query() }),
        expected(&|record| record.players == ["Ana 1", "Ümit 2"])
    );
    assert_eq!(
        count(Query { from_year: Some(2003), to_year: Some(2005), ..query() }),
        expected(&|record| (2003..=2005).contains(&year(record)))
    );
    assert_eq!(
        count(Query { event: Some("cup".into()), result: Some(GameResult::Second), ..query() }),
        expected(&|record| {
            record.tag("Event") == Some("Cup")
                && record.end.and_then(|end| end.outcome.winner()) == Some(Side::Second)
        })
    );
    // All first moves of Othello are the same by symmetry.
    let after_first = othello.start().after(othello.start().moves()[2]);
    assert_eq!(count(Query { position: Some(after_first), ..query() }), 200);
    let page = archive.search(&Query { offset: 190, limit: 20, ..query() }).unwrap();
    assert_eq!((page.total, page.games.len()), (200, 10));
}

#[test]
fn wthor_files_have_names_from_beside_them() {
    let folder = Folder::new("wthor");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../othello/tests/data");
    for (from, to) in
        [("random.wtb", "WTH_2001.wtb"), ("random.jou", "WTHOR.JOU"), ("random.trn", "WTHOR.TRN")]
    {
        std::fs::copy(samples.join(from), folder.0.join(to)).unwrap();
    }
    let archive = folder.archive();
    let files = ["WTH_2001.wtb", "WTHOR.JOU", "WTHOR.TRN"].map(|name| folder.0.join(name));
    let sources: Vec<_> = files.iter().map(|path| Source::file(path)).collect();
    let report = archive.import(&sources, &ImportOptions::default(), &mut |_| {}).unwrap();
    assert_eq!((report.games, report.skipped), (12, 0));
    let found = archive.search(&Query::default()).unwrap();
    assert!(found.games.iter().any(|game| !game.players[0].is_empty() && !game.event.is_empty()));
}

#[test]
fn a_cancelled_import_keeps_whole_games_and_can_be_repeated() {
    let folder = Folder::new("cancel");
    let archive = folder.archive();
    let records: Vec<_> =
        (0..3000).map(|seed| random_game(AnyGame::of::<ConnectFour>(), seed)).collect();
    let text = text_of(&records);
    let cancel = CancellationToken::default();
    let options = ImportOptions { cancel: cancel.clone(), ..ImportOptions::default() };
    let sources = [Source::bytes("games.pgn", text.as_bytes())];
    let report = archive.import(&sources, &options, &mut |_| cancel.cancel()).unwrap();
    assert!(report.cancelled && report.games > 0 && report.games < 3000, "{report:?}");
    let stats = archive.stats().unwrap();
    assert_eq!(stats.games, report.games);
    assert_eq!(archive.explore(&games()[3].start(), 1).unwrap().games, report.games);
    assert_eq!(import(&archive, &text).games, 3000 - report.games);
}

#[test]
fn many_small_additions_keep_the_index_small() {
    let folder = Folder::new("small");
    let archive = folder.archive();
    for seed in 0..100 {
        assert!(archive.add(random_game(AnyGame::of::<Othello>(), seed)).unwrap());
    }
    let stats = archive.stats().unwrap();
    assert_eq!(stats.games, 100);
    assert!(stats.segments <= 7, "{} segments", stats.segments);
    assert_eq!(archive.explore(&games()[0].start(), 200).unwrap().latest.len(), 100);
}

#[test]
fn files_of_newer_programs_are_refused() {
    let folder = Folder::new("newer");
    let open = || Archive::open(&folder.0, &games()).and_then(|archive| archive.stats());
    open().unwrap();
    let connection = rusqlite::Connection::open(folder.0.join(FILE_NAME)).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    let error = open().err().unwrap();
    assert!(error.to_string().contains("version 99"), "{error}");
    connection.close().unwrap();
    std::fs::write(folder.0.join(FILE_NAME), b"not a database").unwrap();
    assert!(open().is_err());
}

//! The conformance suite: property tests that every game must pass. Most tests of a new game are calls of
//! these functions, which panic with the offending position:
//!
//! ```
//! use tablero_core::conformance::{self, Suite};
//! use tablero_core::{Game, StandardRules};
//! use tablero_tictactoe::TicTacToe;
//!
//! conformance::check::<TicTacToe>(&Suite { games: 3, ..Suite::default() });
//! conformance::check_perft(&TicTacToe::start(StandardRules), &[9, 72, 504]);
//! ```

use std::collections::HashSet;

use crate::perft::perft_distinct_slow;
use crate::{
    AnyGame, AnyMove, AnyPosition, BookLine, Canonical, Encoding, Features, Game, GameHistory,
    GameType, MAX_FEATURES, NO_FEATURE, Notation, Playable, Record, Rng, Rules, Side, SparseInputs,
    perft, perft_distinct, perft_parallel, pgn, random_playout,
};

/// The extent of the random tests.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// Random games per rules variant.
    pub games: u64,
    /// No random game may be longer, in plies.
    pub max_plies: u32,
    /// Random seed.
    pub seed: u64,
}

impl Default for Suite {
    fn default() -> Self {
        Self { games: 50, max_plies: 10_000, seed: 1 }
    }
}

/// Plays random games by every rules variant and checks the whole contract of [`Game`], [`Notation`] and the
/// other traits in each position.
pub fn check<G: Playable>(suite: &Suite) {
    check_presentation::<G>();
    check_openings::<G>();
    for &rules in G::Rules::ALL {
        assert_eq!(G::Rules::from_name(rules.name()), Some(rules), "rules are found by name");
        for game in 0..suite.games {
            check_game(&G::start(rules), suite, &mut Rng::for_stream(suite.seed, game));
        }
    }
}

/// Checks every position of one random game from `start`.
pub fn check_game<G: Playable>(start: &G, suite: &Suite, rng: &mut Rng) {
    let mut game = GameHistory::new(start.clone());
    loop {
        check_position(game.position(), rng);
        if game.end().is_some() {
            break;
        }
        let m = game.position().random_move(rng).expect("a game that is not over has a move");
        game.play(m).unwrap_or_else(|error| panic!("{error}: {m:?} in {:?}", game.position()));
        assert!(game.plies() as u32 <= suite.max_plies, "random games end");
    }
    game.positions().for_each(check_encoding);
    game.positions().for_each(check_features);
    game.positions().for_each(check_inputs);
    check_erased(&game);
    check_undo(game.clone());
    check_record(&game);
    check_trace(&game);
    let playout = random_playout(start.clone(), suite.max_plies, rng);
    assert!(playout.1 <= suite.max_plies);
}

/// Named openings must be legal, and name different positions.
fn check_openings<G: Playable>() {
    let game = AnyGame::of::<G>();
    let mut keys = HashSet::new();
    for BookLine { name, moves } in G::OPENINGS {
        let line = game.parse_history(&format!("start moves {moves}"), game.default_rules());
        let line = line.unwrap_or_else(|error| panic!("opening {name}: {error}"));
        assert!(keys.insert(line.position().canonical().key), "opening {name} is there twice");
    }
}

/// Codes of moves must give the moves back, and symmetric positions have the same key and codes.
fn check_trace<G: Playable>(game: &GameHistory<G>) {
    let record = Record::from_history(game).erase();
    let moves: Vec<AnyMove> = record.plies.iter().map(|ply| ply.m).collect();
    let trace = record.start.trace(moves.iter().copied(), usize::MAX).expect("legal moves");
    assert_eq!(record.start.decode(&trace.codes), Some(moves));
    assert_eq!(trace.positions.len(), trace.codes.len() + 1);
    for (position, traced) in game.positions().zip(&trace.positions) {
        for symmetry in 0..G::SYMMETRIES {
            let image = Canonical::of(&position.transform(symmetry));
            assert_eq!(image.key, traced.key, "keys are equal up to symmetry");
        }
    }
}

/// Checks the invariants of a position.
pub fn check_position<G: Notation>(position: &G, rng: &mut Rng) {
    check_moves(position, rng);
    check_notation(position);
    check_distinct_moves(position);
    check_symmetries(position);
    assert_eq!(position.diagram().cells.len(), {
        let diagram = position.diagram();
        diagram.columns.len() * diagram.rows.len()
    });
}

fn check_moves<G: Notation>(position: &G, rng: &mut Rng) {
    let moves = position.moves();
    assert_eq!(moves.is_empty(), position.outcome().is_some(), "over = no moves: {position:?}");
    assert_eq!(moves.len() as u64, position.count_moves(), "count of moves: {position:?}");
    let distinct: HashSet<_> = moves.iter().collect();
    assert_eq!(distinct.len(), moves.len(), "each move once: {position:?}");
    match position.random_move(rng) {
        Some(m) => assert!(moves.contains(&m), "random move {m:?} is legal: {position:?}"),
        None => assert!(moves.is_empty(), "a random move where there is one: {position:?}"),
    }
    let before = position.clone();
    for &m in &moves {
        assert!(position.is_legal(m), "{m:?} is legal: {position:?}");
        let after = position.after(m);
        assert_eq!(after, position.after(m), "the same move leads to the same position");
        assert_eq!(after.rules(), position.rules(), "rules stay");
        assert!(position.touched(m).iter().all(|&cell| cell < position.diagram().cells.len()));
    }
    assert_eq!(*position, before);
}

fn check_notation<G: Notation>(position: &G) {
    let text = position.position_text();
    let parsed = G::parse_position(&text, position.rules())
        .unwrap_or_else(|error| panic!("own notation `{text}` is read: {error}"));
    assert_eq!(parsed, *position, "position round trip: {text}");
    // The parsed position was set up from scratch, the other reached by moves.
    assert_eq!(parsed.key(), position.key(), "key by moves = key from scratch: {text}");
    let mut written = HashSet::new();
    for m in position.moves() {
        let name = position.move_text(m);
        assert_eq!(position.parse_move(&name), Ok(m), "move round trip: `{name}` in {text}");
        assert!(written.insert(name.clone()), "`{name}` names one move only: {text}");
    }
}

fn check_distinct_moves<G: Game>(position: &G) {
    let all: HashSet<G> = position.moves().into_iter().map(|m| position.after(m)).collect();
    let mut distinct = HashSet::new();
    position.each_distinct_move(|m| {
        assert!(position.is_legal(m), "distinct moves are legal: {m:?} in {position:?}");
        assert!(distinct.insert(position.after(m)), "{m:?} repeats a position: {position:?}");
    });
    assert_eq!(distinct, all, "distinct moves reach every position: {position:?}");
}

fn check_symmetries<G: GameType>(position: &G) {
    assert_eq!(position.transform(0), *position, "symmetry 0 is the identity");
    for symmetry in 0..G::SYMMETRIES {
        let image = position.transform(symmetry);
        assert_eq!(image.side(), position.side());
        assert_eq!(image.outcome(), position.outcome(), "symmetry {symmetry}: {position:?}");
        let (moves, image_moves) = (position.moves(), image.moves());
        assert_eq!(moves.len(), image_moves.len(), "symmetry {symmetry}: {position:?}");
        for m in moves {
            let image_move = position.transform_move(m, symmetry);
            assert!(image.is_legal(image_move), "symmetry {symmetry} of {m:?}: {position:?}");
            assert_eq!(
                image.after(image_move),
                position.after(m).transform(symmetry),
                "symmetry {symmetry} of {m:?}: {position:?}"
            );
        }
    }
}

/// Board texts of the presentation fit the board.
fn check_presentation<G: Playable>() {
    let (shown, start) = (G::PRESENTATION, AnyGame::of::<G>().start());
    let size = start.diagram().cells.len();
    let is_board = |text: &str| {
        let known = |c: char| c == '.' || shown.pieces.iter().any(|piece| piece.letter == c);
        text.chars().filter(|c| !c.is_whitespace()).count() == size
            && text.chars().all(|c| c.is_whitespace() || known(c))
    };
    assert!(is_board(&start.cells_text()), "the start: {}", start.cells_text());
    assert!(shown.example.is_none_or(is_board), "the example: {:?}", shown.example);
    for variant in shown.variants {
        assert!(G::Rules::from_name(variant.name).is_some(), "{variant:?}");
    }
    let paragraphs = |text: &str| text.trim().split("\n\n").count();
    let count = paragraphs(shown.rules.en);
    assert_eq!(count, paragraphs(shown.rules.es), "paragraphs of the rules in both languages");
    for illustration in shown.illustrations {
        assert!(illustration.paragraph < count, "no paragraph for {illustration:?}");
        let cells = illustration.cells;
        assert!(cells.is_empty() || is_board(cells), "{illustration:?}");
    }
}

/// The same game played through [`AnyPosition`] takes the same course.
fn check_erased<G: Playable>(game: &GameHistory<G>) {
    let mut erased = GameHistory::new(AnyPosition::new(game.start().clone()));
    for (m, position) in game.played().zip(game.positions()) {
        assert_eq!(erased.position().downcast_ref(), Some(position));
        let any = AnyMove::new(position, m);
        assert_eq!(any.resolve(position), Some(m));
        assert_eq!(erased.position().move_text(any), position.move_text(m));
        let seed = || Rng::seeded(position.key());
        let random = erased.position().random_move(&mut seed());
        assert_eq!(random.and_then(|m| m.resolve(position)), position.random_move(&mut seed()));
        erased.play(any).unwrap_or_else(|error| panic!("{error}: {m:?} in {position:?}"));
    }
    assert_eq!(erased.position().downcast_ref(), Some(game.position()));
    assert_eq!(erased.end(), game.end());
    let record = Record::from_history(game);
    assert_eq!(record.clone().erase().downcast(), Some(record));
}

/// Policy indices and actions are unique per legal move, and planes are finite.
fn check_encoding<G: Encoding>(position: &G) {
    let mut planes = vec![0.0; G::PLANES * G::SQUARES];
    position.write_planes(0, &mut planes);
    assert!(planes.iter().all(|number| number.is_finite()), "planes of {position:?}");
    let (mut seen, mut actions) = (HashSet::new(), HashSet::new());
    position.each_move(|m| {
        let (indices, action) = (position.policy_indices(m), position.action(m));
        assert_eq!(G::action_outputs(action), indices, "{m:?} in {position:?}");
        let flipped = G::flipped_action_outputs(action, position.side());
        assert_eq!(flipped, position.flipped_policy_indices(m), "{m:?} in {position:?}");
        assert_eq!(position.move_of_action(action), Some(m), "{m:?} in {position:?}");
        assert!(action < G::ACTIONS && actions.insert(action), "action of {m:?}: {position:?}");
        assert!(indices.iter().all(|&index| index <= G::ZERO_LOGIT), "{position:?} {m:?}");
        assert!(seen.insert(indices), "policy indices of {m:?} are unique: {position:?}");
    });
    if let Some(&m) = position.moves().last() {
        assert_eq!(position.move_of(position.policy_indices(m)), Some(m));
    }
}

/// Checks that sparse inputs are in range, and that both sides see the same number of features.
pub fn check_inputs<G: SparseInputs>(position: &G) {
    let counts = [Side::First, Side::Second].map(|side| {
        let mut slots = vec![0; G::INPUT_SLOTS];
        position.write_inputs(side, &mut slots);
        let features = slots.into_iter().filter(|&feature| feature != NO_FEATURE);
        features.inspect(|&f| assert!(usize::from(f) < G::INPUT_FEATURES, "{position:?}")).count()
    });
    assert_eq!(counts[0], counts[1], "{position:?}");
    assert!(position.output_bucket() < G::OUTPUT_BUCKETS, "{position:?}");
}

/// Features are of order one.
fn check_features<G: Features>(position: &G) {
    assert!(G::FEATURES.len() <= MAX_FEATURES);
    let mut numbers = vec![f32::NAN; G::FEATURES.len()];
    position.write_features(&mut numbers);
    assert!(numbers.iter().all(|number| number.abs() < 10.0), "{numbers:?} {position:?}");
}

fn check_undo<G: Game>(mut game: GameHistory<G>) {
    let played: Vec<_> = game.played().collect();
    let last = game.position().clone();
    assert!(game.moves().is_empty(), "no moves after the end");
    for &m in played.iter().rev() {
        assert_eq!(game.undo(), Some(m));
        assert!(game.end().is_none(), "a game does not end before its last move");
    }
    assert_eq!(game.position(), game.start());
    while game.redo().is_some() {}
    assert_eq!(*game.position(), last);
}

fn check_record<G: Playable>(game: &GameHistory<G>) {
    let record = Record::from_history(game).erase();
    let text = pgn::write(&record);
    let read = pgn::read_one(AnyGame::of::<G>(), &text)
        .unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(read, record, "record round trip:\n{text}");
    assert_eq!(read.replay().expect("legal").end(), game.end());
}

/// Checks perft at depth 1, 2, ... and that two threads agree.
pub fn check_perft<G: GameType>(position: &G, expected: &[u64]) {
    let depths = 1..=expected.len() as u32;
    let counts: Vec<u64> = depths.map(|depth| perft(position, depth)).collect();
    assert_eq!(counts, expected, "perft of {position:?}");
    let depth = expected.len() as u32;
    assert_eq!(perft_parallel(position, depth, 2), perft(position, depth));
}

/// Checks perft without repeated positions at depth 1, 2, ...
pub fn check_perft_distinct<G: GameType>(position: &G, expected: &[u64]) {
    for (depth, &leaves) in (1..).zip(expected) {
        assert_eq!(perft_distinct(position, depth), leaves, "depth {depth} of {position:?}");
        if leaves < 100_000 {
            assert_eq!(perft_distinct_slow(position, depth), leaves);
        }
    }
}

/// Compares the successors of `position`, and of all positions up to `depth` plies below it, with a slow and
/// simple reference implementation.
///
/// `view` converts a position to the reference's type; `successors` returns the reference's positions after
/// each legal move, in any order.
pub fn check_against<G: Game, R: Ord + std::fmt::Debug>(
    position: &G,
    depth: u32,
    view: &impl Fn(&G) -> R,
    successors: &impl Fn(&R) -> Vec<R>,
) {
    let mut ours: Vec<R> = position.moves().into_iter().map(|m| view(&position.after(m))).collect();
    let mut theirs = successors(&view(position));
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs, "successors of {position:?}");
    if depth > 1 {
        position.each_move(|m| check_against(&position.after(m), depth - 1, view, successors));
    }
}

/// Fuzzes a reader with mutations of `samples`; it may return errors, but must not panic.
///
/// Mutations change, remove, insert and repeat bytes, splice samples and truncate. They are reproducible from
/// the seed.
pub fn check_reader(samples: &[&[u8]], rounds: u64, seed: u64, read: impl Fn(&[u8])) {
    for sample in samples {
        read(sample);
    }
    for round in 0..rounds {
        read(&mutated(samples, seed, round));
    }
}

/// One of the inputs of [`check_reader`].
pub fn mutated(samples: &[&[u8]], seed: u64, round: u64) -> Vec<u8> {
    let mut rng = Rng::for_stream(seed, round);
    let mut bytes = rng.pick(samples).map_or_else(Vec::new, |sample| sample.to_vec());
    for _ in 0..=rng.below(6) {
        mutate(&mut bytes, samples, &mut rng);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, samples: &[&[u8]], rng: &mut Rng) {
    /// Bytes that are special to readers.
    const SPECIAL: &[u8] =
        b"0189 \n\r\t-+*.:;,!?$%/=#()[]{}<>\"'\\aAhHxXoObBwWkKqQ\0\x7f\x80\xc3\xff";
    let at = |rng: &mut Rng, len: usize| rng.below(len as u64 + 1) as usize;
    let (a, b) = (at(rng, bytes.len()), at(rng, bytes.len()));
    let (start, end) = (a.min(b), a.max(b).min(a.min(b) + 40));
    match rng.below(7) {
        0 => bytes.truncate(start),
        1 => drop(bytes.drain(start..end)),
        2 => bytes.insert(start, SPECIAL[rng.below(SPECIAL.len() as u64) as usize]),
        3 if start < bytes.len() => bytes[start] = rng.bits() as u8,
        4 if start < bytes.len() => {
            bytes[start] = SPECIAL[rng.below(SPECIAL.len() as u64) as usize];
        }
        5 => {
            let piece = bytes[start..end].to_vec();
            bytes.splice(start..start, piece);
        }
        _ => {
            let other = rng.pick(samples).copied().unwrap_or_default();
            let from = at(rng, other.len());
            let piece = other[from..other.len().min(from + 60)].to_vec();
            bytes.splice(start..start, piece);
        }
    }
}

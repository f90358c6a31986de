use crate::GameType;

/// The settings that suit a game: where matches start from, how it evolves and learns, what ships
/// with the program. A game overrides what does not fit.
pub trait Defaults: GameType {
    /// Random plies with which the games of a match begin, unless there is a [book](Self::BOOK).
    const OPENING_PLIES: usize = 8;
    /// Well-known openings.
    const BOOK: &'static [BookLine] = &[];
    /// What counts in an evolution's games.
    const EVOLUTION: EvolutionDefaults = EvolutionDefaults::DEFAULT;
    /// How networks learn by self-play.
    const LEARNING: LearningDefaults = LearningDefaults::DEFAULT;
    /// Evolved evaluations that come with the program.
    const SHIPPED_GENOMES: &'static [ShippedFile] = &[];
    /// Networks that come with the program, the best first.
    const SHIPPED_NETS: &'static [ShippedFile] = &[];
    /// The depth whose node count is the signature of alpha-beta (`tablero bench signature`).
    const SIGNATURE_DEPTH: u32 = 6;
    /// The depth at which perft is timed (`tablero bench perft`), if it is.
    const PERFT_DEPTH: Option<u32> = None;
    /// What the margins of winner and loser add up to, where both have a score (64 discs).
    const MARGIN_TOTAL: Option<u32> = None;
}

/// A line of a book of openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookLine {
    /// What the opening is called.
    pub name: &'static str,
    /// Its moves, separated by blanks.
    pub moves: &'static str,
}

/// How the fitness games of an evolution are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvolutionDefaults {
    /// The player line that a genome's evaluation is put into.
    pub player: &'static str,
    /// Random plies after a line of the book, where there is one.
    pub book_plies: usize,
    /// Longer games are drawn.
    pub max_plies: Option<usize>,
}

impl EvolutionDefaults {
    /// As Othello7: minimax to depth 4.
    pub const DEFAULT: Self = Self { player: "minimax depth=4", book_plies: 4, max_plies: None };
}

/// How networks learn a game by self-play.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LearningDefaults {
    /// The network.
    pub net: &'static str,
    /// The network of a run of seconds.
    pub quick_net: &'static str,
    /// Games of a generation.
    pub games: usize,
    /// Fixed opponents that ratings are anchored to, the first rated 0.
    pub anchors: &'static [&'static str],
    /// Which share of moves gets a full search and is learned from (KataGo's playout-cap
    /// randomisation).
    pub full_search_prob: f64,
    /// Plies in which moves are sampled by visits.
    pub temperature_plies: usize,
    /// At most so many random plies begin a game.
    pub random_plies: usize,
    /// The same for games of a teacher.
    pub teacher_random_plies: usize,
    /// Which share of later moves is random, after the position was searched.
    pub random_share: f64,
    /// What a draw is worth to the side that brings it about.
    pub draw: f32,
}

impl LearningDefaults {
    /// What suits a game of middling size with a ladder of at least six levels.
    pub const DEFAULT: Self = Self {
        net: "resnet 4x32",
        quick_net: "resnet 1x16",
        games: 500,
        anchors: &["random", "level 2", "level 4", "level 6"],
        full_search_prob: 0.4,
        temperature_plies: 20,
        random_plies: 8,
        teacher_random_plies: 16,
        random_share: 0.02,
        draw: 0.0,
    };
}

/// A trained artifact that is embedded in the program; its name can stand wherever a file of its
/// kind can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShippedFile {
    /// Its name.
    pub name: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// Embeds files of the folder `weights`, given as `"name" "extension"`, as a list of
/// [`ShippedFile`]s. The paths are relative to a crate two folders below the root.
#[macro_export]
macro_rules! shipped_files {
    ($($name:literal $extension:literal),* $(,)?) => {
        &[$($crate::ShippedFile {
            name: $name,
            bytes: include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"), "/../../weights/", $name, ".", $extension
            )),
        }),*]
    };
}

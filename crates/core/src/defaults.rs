use crate::GameType;

/// Per-game settings of matches, evolution, learning and benchmarks, and the trained files that ship with
/// the program.
pub trait Defaults: GameType {
    /// Random opening plies of match games, unless there is a [book](Self::BOOK).
    const OPENING_PLIES: usize = 8;
    /// Opening book.
    const BOOK: &'static [BookLine] = &[];
    /// The names of openings; a game's opening is the last named position that it reaches.
    const OPENINGS: &'static [BookLine] = &[];
    /// Fitness games of evolution.
    const EVOLUTION: EvolutionDefaults = EvolutionDefaults::DEFAULT;
    /// Self-play learning of networks.
    const LEARNING: LearningDefaults = LearningDefaults::DEFAULT;
    /// Evolved evaluations that ship with the program.
    const SHIPPED_GENOMES: &'static [ShippedFile] = &[];
    /// NNUE evaluations that ship with the program, the best first; it is the default evaluation.
    const SHIPPED_NNUE: &'static [ShippedFile] = &[];
    /// Networks that ship with the program, the best first.
    const SHIPPED_NETS: &'static [ShippedFile] = &[];
    /// The depth whose node count is the signature of alpha-beta (`tablero bench signature`).
    const SIGNATURE_DEPTH: u32 = 6;
    /// The depth of `tablero bench perft`, if the game is in it.
    const PERFT_DEPTH: Option<u32> = None;
    /// The sum of both sides' scores, where both have one (64 discs).
    const MARGIN_TOTAL: Option<u32> = None;
}

/// A line of an opening book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookLine {
    /// The name of the opening.
    pub name: &'static str,
    /// Its moves, separated by spaces.
    pub moves: &'static str,
}

/// Settings of the fitness games of an evolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvolutionDefaults {
    /// The player line, to which the genome's evaluation is added.
    pub player: &'static str,
    /// Random plies after a book line, where there is a book.
    pub book_plies: usize,
    /// Games of this length are drawn.
    pub max_plies: Option<usize>,
}

impl EvolutionDefaults {
    /// As Othello7: minimax to depth 4.
    pub const DEFAULT: Self = Self { player: "minimax depth=4", book_plies: 4, max_plies: None };
}

/// Settings of self-play learning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LearningDefaults {
    /// The network architecture.
    pub net: &'static str,
    /// The network architecture of a quick run.
    pub quick_net: &'static str,
    /// Games per generation.
    pub games: usize,
    /// Fixed opponents that ratings are anchored to, the first rated 0.
    pub anchors: &'static [&'static str],
    /// The probability of a full search; only fully searched positions are learned from (playout cap
    /// randomization, KataGo).
    pub full_search_prob: f64,
    /// The number of opening plies in which moves are sampled by visit counts.
    pub temperature_plies: usize,
    /// The maximum number of random opening plies.
    pub random_plies: usize,
    /// The same for a teacher's games.
    pub teacher_random_plies: usize,
    /// The probability that a later move is random, chosen after the position was searched.
    pub random_move_prob: f64,
    /// The value of a draw to the side that makes it.
    pub draw: f32,
}

impl LearningDefaults {
    /// For a game of medium size with at least six levels.
    pub const DEFAULT: Self = Self {
        net: "resnet 4x32",
        quick_net: "resnet 1x16",
        games: 500,
        anchors: &["random", "level 2", "level 4", "level 6"],
        full_search_prob: 0.4,
        temperature_plies: 20,
        random_plies: 8,
        teacher_random_plies: 16,
        random_move_prob: 0.02,
        draw: 0.0,
    };
}

/// A trained artifact embedded in the program. Its name is accepted wherever a file of its kind is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShippedFile {
    /// Its name.
    pub name: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

/// Embeds files of the folder `weights`, given as `"name" "extension"`, as a slice of
/// [`ShippedFile`]s. The calling crate must be two folders below the root.
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

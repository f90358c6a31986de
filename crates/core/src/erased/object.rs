//! The object-safe traits behind [`AnyGame`] and [`AnyPosition`], implemented for every game type.

use std::any::Any;
use std::fmt::Debug;
use std::marker::PhantomData;

use super::{AnyGame, AnyMove, AnyPosition, AnyRules};
use crate::trace::{self, Canonical, Trace};
use crate::{
    BoardSetup, BookLine, Defaults, Diagram, Draw, Encoding, EvolutionDefaults, Features,
    FileFormat, Formats, Game, GameInfo, GameType, LearningDefaults, Level, Levels, MoveShape,
    Notation, Outcome, Piece, Presentable, Presentation, Protocol, ReadError, Rng, Rules,
    ShippedFile, Side, SparseInputs, Strength, Tactics, UciDialect, WdlModel,
};

/// A complete game: all traits that a game's crate implements.
pub trait Playable:
    Notation
    + Tactics
    + Encoding
    + Features
    + SparseInputs
    + UciDialect
    + Formats
    + Levels
    + Defaults
    + Presentable
{
}

impl<G> Playable for G where
    G: Notation
        + Tactics
        + Encoding
        + Features
        + SparseInputs
        + UciDialect
        + Formats
        + Levels
        + Defaults
        + Presentable
{
}

/// A type-erased game. Rules are identified by their index in [`Rules::ALL`].
pub(super) trait GameObject: Send + Sync {
    fn info(&self) -> &'static GameInfo;
    fn rules_names(&self) -> Vec<&'static str>;
    fn rules_from_name(&self, name: &str) -> Option<usize>;
    fn start(&self, rules: usize) -> AnyPosition;
    fn parse_position(&self, text: &str, rules: usize) -> Result<AnyPosition, ReadError>;
    fn formats(&self) -> Vec<FileFormat>;
    fn facts(&self) -> Facts;
    fn uci_variant_options(&self) -> Vec<String>;
    fn uci_rules_from_option(&self, name: &str, value: &str) -> Option<usize>;
    fn uci_option_for_rules(&self, rules: usize) -> Option<(&'static str, &'static str)>;
    fn presentation(&self) -> &'static Presentation;
    fn unit(&self) -> &'static str;
    fn letter(&self, piece: Piece) -> char;
    fn numbered_start(&self, number: u32) -> Option<AnyPosition>;
    fn position_text_of(&self, setup: &BoardSetup<'_>) -> String;
}

/// The constants of a game's traits.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) ladder: &'static [Level],
    pub(super) level_one: i32,
    pub(super) analyst: &'static str,
    pub(super) named_levels: [(&'static str, &'static str); 3],
    pub(super) strengths: &'static [Strength],
    pub(super) wdl_model: WdlModel,
    pub(super) opening_plies: usize,
    pub(super) book: &'static [BookLine],
    pub(super) openings: &'static [BookLine],
    pub(super) evolution: EvolutionDefaults,
    pub(super) learning: LearningDefaults,
    pub(super) shipped_genomes: &'static [ShippedFile],
    pub(super) shipped_nnue: &'static [ShippedFile],
    pub(super) shipped_nets: &'static [ShippedFile],
    pub(super) signature_depth: u32,
    pub(super) perft_depth: Option<u32>,
    pub(super) margin_total: Option<u32>,
    pub(super) protocols: &'static [Protocol],
}

/// The game with positions of type `G`.
pub(super) struct Typed<G>(PhantomData<fn(&G)>);

impl<G> Typed<G> {
    pub(super) const NEW: Self = Self(PhantomData);
}

/// The rules with an index of this game.
fn rules<G: GameType>(index: usize) -> G::Rules {
    G::Rules::ALL.get(index).copied().unwrap_or_default()
}

fn rules_index<G: GameType>(rules: G::Rules) -> usize {
    G::Rules::ALL.iter().position(|known| *known == rules).unwrap_or(0)
}

impl<G: Playable> GameObject for Typed<G> {
    fn info(&self) -> &'static GameInfo {
        const { &G::INFO }
    }

    fn rules_names(&self) -> Vec<&'static str> {
        G::Rules::ALL.iter().map(|rules| rules.name()).collect()
    }

    fn rules_from_name(&self, name: &str) -> Option<usize> {
        G::Rules::from_name(name).map(rules_index::<G>)
    }

    fn start(&self, index: usize) -> AnyPosition {
        AnyPosition::new(G::start(rules::<G>(index)))
    }

    fn parse_position(&self, text: &str, index: usize) -> Result<AnyPosition, ReadError> {
        G::parse_position(text, rules::<G>(index)).map(AnyPosition::new)
    }

    fn formats(&self) -> Vec<FileFormat> {
        G::formats()
    }

    fn facts(&self) -> Facts {
        Facts {
            ladder: G::LADDER,
            strengths: G::STRENGTHS,
            level_one: G::LEVEL_ONE_RATING,
            analyst: G::ANALYST,
            named_levels: G::NAMED,
            wdl_model: G::WDL_MODEL,
            opening_plies: G::OPENING_PLIES,
            book: G::BOOK,
            openings: G::OPENINGS,
            evolution: G::EVOLUTION,
            learning: G::LEARNING,
            shipped_genomes: G::SHIPPED_GENOMES,
            shipped_nnue: G::SHIPPED_NNUE,
            shipped_nets: G::SHIPPED_NETS,
            signature_depth: G::SIGNATURE_DEPTH,
            perft_depth: G::PERFT_DEPTH,
            margin_total: G::MARGIN_TOTAL,
            protocols: G::PROTOCOLS,
        }
    }

    fn uci_variant_options(&self) -> Vec<String> {
        G::variant_options()
    }

    fn uci_rules_from_option(&self, name: &str, value: &str) -> Option<usize> {
        G::rules_from_option(name, value).map(rules_index::<G>)
    }

    fn uci_option_for_rules(&self, index: usize) -> Option<(&'static str, &'static str)> {
        G::option_for_rules(rules::<G>(index))
    }

    fn presentation(&self) -> &'static Presentation {
        const { &G::PRESENTATION }
    }

    fn unit(&self) -> &'static str {
        G::UNIT
    }

    fn letter(&self, piece: Piece) -> char {
        G::letter(piece)
    }

    fn numbered_start(&self, number: u32) -> Option<AnyPosition> {
        G::numbered_start(number).map(AnyPosition::new)
    }

    fn position_text_of(&self, setup: &BoardSetup<'_>) -> String {
        G::position_text_of(setup)
    }
}

/// A type-erased position.
pub(super) trait PositionObject: Any + Debug + Send + Sync {
    fn game(&self) -> AnyGame;
    fn clone_box(&self) -> Box<dyn PositionObject>;
    fn equals(&self, other: &dyn PositionObject) -> bool;
    fn rules(&self) -> AnyRules;
    fn side(&self) -> Side;
    fn play(&mut self, m: AnyMove);
    fn outcome(&self) -> Option<Outcome>;
    fn key(&self) -> u64;
    fn draw(&self) -> Option<Draw>;
    fn null_move(&self) -> Option<Box<dyn PositionObject>>;
    fn count_moves(&self) -> u64;
    fn distinct_moves(&self) -> Vec<AnyMove>;
    fn random_move(&self, rng: &mut Rng) -> Option<AnyMove>;
    fn transform(&self, symmetry: usize) -> Box<dyn PositionObject>;
    fn transform_move(&self, m: AnyMove, symmetry: usize) -> AnyMove;
    fn canonical(&self) -> Canonical;
    fn canonical_code(&self, m: AnyMove) -> Option<u16>;
    fn trace(&self, moves: &mut dyn Iterator<Item = AnyMove>, indexed: usize) -> Option<Trace>;
    fn decode(&self, codes: &[u16]) -> Option<Vec<AnyMove>>;
    fn move_number(&self) -> u32;
    fn move_text(&self, m: AnyMove) -> String;
    fn parse_move(&self, text: &str) -> Result<AnyMove, ReadError>;
    fn position_text(&self) -> String;
    fn diagram(&self) -> Diagram;
    fn touched(&self, m: AnyMove) -> Vec<usize>;
    fn uci_move(&self, m: AnyMove) -> String;
    fn parse_uci_move(&self, text: &str) -> Result<AnyMove, ReadError>;
    fn move_name(&self, m: AnyMove) -> String;
    fn number_of(&self, ply: u32) -> u32;
    fn shape(&self, m: AnyMove) -> MoveShape;
    fn boards(&self) -> Vec<[u32; 2]>;
    fn captured(&self, m: AnyMove) -> Option<char>;
    fn check(&self) -> Option<usize>;
}

impl<G: Playable> PositionObject for G {
    fn game(&self) -> AnyGame {
        AnyGame::of::<G>()
    }

    fn clone_box(&self) -> Box<dyn PositionObject> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn PositionObject) -> bool {
        (other as &dyn Any).downcast_ref::<G>() == Some(self)
    }

    fn rules(&self) -> AnyRules {
        AnyRules::new(AnyGame::of::<G>(), rules_index::<G>(Game::rules(self)))
    }

    fn side(&self) -> Side {
        Game::side(self)
    }

    fn play(&mut self, m: AnyMove) {
        if let Some(m) = m.resolve(self) {
            Game::play(self, m);
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        Game::outcome(self)
    }

    fn key(&self) -> u64 {
        Game::key(self)
    }

    fn draw(&self) -> Option<Draw> {
        Game::draw(self)
    }

    fn null_move(&self) -> Option<Box<dyn PositionObject>> {
        Some(Box::new(Tactics::null_move(self)?))
    }

    fn count_moves(&self) -> u64 {
        Game::count_moves(self)
    }

    fn distinct_moves(&self) -> Vec<AnyMove> {
        let mut moves = Vec::new();
        self.each_distinct_move(|m| moves.push(AnyMove::new(self, m)));
        moves
    }

    fn random_move(&self, rng: &mut Rng) -> Option<AnyMove> {
        Game::random_move(self, rng).map(|m| AnyMove::new(self, m))
    }

    fn transform(&self, symmetry: usize) -> Box<dyn PositionObject> {
        Box::new(Game::transform(self, symmetry))
    }

    fn transform_move(&self, m: AnyMove, symmetry: usize) -> AnyMove {
        m.resolve(self).map_or(AnyMove::ILLEGAL, |m| {
            let image = Game::transform_move(self, m, symmetry);
            AnyMove::new(&Game::transform(self, symmetry), image)
        })
    }

    fn canonical(&self) -> Canonical {
        Canonical::of(self)
    }

    fn canonical_code(&self, m: AnyMove) -> Option<u16> {
        Canonical::of(self).code(self, m.resolve(self)?)
    }

    fn trace(&self, moves: &mut dyn Iterator<Item = AnyMove>, indexed: usize) -> Option<Trace> {
        Trace::of(self, moves, indexed)
    }

    fn decode(&self, codes: &[u16]) -> Option<Vec<AnyMove>> {
        trace::decode(self, codes)
    }

    fn move_number(&self) -> u32 {
        Notation::move_number(self)
    }

    fn move_text(&self, m: AnyMove) -> String {
        m.resolve(self).map_or_else(|| "illegal move".into(), |m| Notation::move_text(self, m))
    }

    fn parse_move(&self, text: &str) -> Result<AnyMove, ReadError> {
        Notation::parse_move(self, text).map(|m| AnyMove::new(self, m))
    }

    fn position_text(&self) -> String {
        Notation::position_text(self)
    }

    fn diagram(&self) -> Diagram {
        Notation::diagram(self)
    }

    fn touched(&self, m: AnyMove) -> Vec<usize> {
        m.resolve(self).map(|m| Notation::touched(self, m)).unwrap_or_default()
    }

    fn uci_move(&self, m: AnyMove) -> String {
        m.resolve(self).map_or_else(|| "0000".into(), |m| UciDialect::uci_move(self, m))
    }

    fn parse_uci_move(&self, text: &str) -> Result<AnyMove, ReadError> {
        UciDialect::parse_uci_move(self, text).map(|m| AnyMove::new(self, m))
    }

    fn move_name(&self, m: AnyMove) -> String {
        m.resolve(self).map_or_else(|| "illegal move".into(), |m| Presentable::move_name(self, m))
    }

    fn number_of(&self, ply: u32) -> u32 {
        Presentable::move_number_at(self, ply)
    }

    fn shape(&self, m: AnyMove) -> MoveShape {
        m.resolve(self).map_or(MoveShape::Pass, |m| Presentable::shape(self, m))
    }

    fn boards(&self) -> Vec<[u32; 2]> {
        Presentable::boards(self)
    }

    fn captured(&self, m: AnyMove) -> Option<char> {
        m.resolve(self).and_then(|m| Presentable::captured(self, m))
    }

    fn check(&self) -> Option<usize> {
        Presentable::check(self)
    }
}

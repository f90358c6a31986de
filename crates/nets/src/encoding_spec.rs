use crate::{Encoding, Mlp, NetKind};

/// The version of the absolute encoding, which is Otelo's and the same for all games.
const ABSOLUTE_VERSION: u32 = 1;

/// The sizes of a game's [`Encoding`] as plain data, for code that is not generic over games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EncodingSpec {
    /// The game's name.
    pub game: &'static str,
    /// The version of the planes; networks trained with another one are refused.
    pub version: u32,
    /// Columns of a plane.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Input planes.
    pub planes: usize,
    /// Extra planes of attacked squares, for `attacks` networks; 0 if the game has none.
    pub attack_planes: usize,
    /// Whether planes can be flipped to the mover's side, for `mover` networks.
    pub can_flip: bool,
    /// Whether final positions have an owner for each square.
    pub has_ownership: bool,
    /// Policy planes.
    pub policy_planes: usize,
    /// Length of the flat encoding for MLPs; 0 if the game has none.
    pub flat_size: usize,
    /// The version of the flat encoding.
    pub flat_version: u32,
    /// Length of the absolute encoding for MLPs; 0 if the game has none.
    pub absolute_size: usize,
}

impl EncodingSpec {
    /// The spec of a game.
    pub const fn of<G: Encoding>() -> Self {
        Self {
            game: G::NAME,
            version: G::VERSION,
            width: G::WIDTH,
            height: G::HEIGHT,
            planes: G::PLANES,
            attack_planes: G::ATTACK_PLANES,
            can_flip: G::CAN_FLIP,
            has_ownership: G::HAS_OWNERSHIP,
            policy_planes: G::POLICY_PLANES,
            flat_size: G::FLAT_SIZE,
            flat_version: G::FLAT_VERSION,
            absolute_size: G::ABSOLUTE_SIZE,
        }
    }

    /// The version of the encoding that a network of this kind reads.
    pub fn version_for(&self, kind: &NetKind) -> u32 {
        match kind {
            NetKind::Mlp(Mlp { is_absolute: true, .. }) => ABSOLUTE_VERSION,
            _ if kind.reads_flat(self) => self.flat_version,
            _ => self.version,
        }
    }

    /// Squares of the board.
    pub const fn squares(&self) -> usize {
        self.width * self.height
    }

    /// Length of the input planes.
    pub const fn inputs(&self) -> usize {
        self.planes * self.squares()
    }

    /// Length of the policy output, not counting the constant 0 at this index.
    pub const fn policy_size(&self) -> usize {
        self.policy_planes * self.squares()
    }
}

use std::fmt;
use std::str::FromStr;

use tablero_core::Side;

use crate::{Encoding, EncodingSpec, NetKindError, tensor_specs};

/// A network architecture, written `mlp 65-128-64-32-1`, `mlp 65-128-64-32-1 absolute`, `resnet 6x64` or
/// `resnet 6x64 ownership`, for chess also `resnet 6x64 mover` or `resnet 6x64 attacks`.
///
/// ```
/// use tablero_nets::NetKind;
/// let kind: NetKind = "resnet 6x64".parse()?;
/// assert_eq!(kind.to_string(), "resnet 6x64");
/// assert!("resnet 6".parse::<NetKind>().is_err());
/// # Ok::<(), tablero_nets::NetKindError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetKind {
    /// A multilayer perceptron with a single output, the value.
    Mlp(Mlp),
    /// A residual tower with a policy and a value head (AlphaGo Zero).
    Resnet(Resnet),
}

/// The shape of a multilayer perceptron: ReLU between layers, tanh after the last one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mlp {
    /// Layer sizes, from inputs to outputs.
    pub sizes: Vec<usize>,
    /// Whether input and output are by colour, as in Otelo, instead of by mover: the input is the
    /// [absolute](Encoding::write_absolute) one, the output 1 for a win of the second side, -1 for one of the first.
    pub is_absolute: bool,
}

/// The shape of a residual network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resnet {
    /// Residual blocks.
    pub blocks: usize,
    /// Filters of each convolution.
    pub filters: usize,
    /// Whether there is an ownership head, an auxiliary target (KataGo).
    pub ownership: bool,
    /// The input planes.
    pub view: View,
}

/// The input planes of a residual network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// The game's planes.
    Planes,
    /// The game's planes, flipped to the mover's side.
    Mover,
    /// Flipped planes plus planes of attacked squares.
    Attacks,
}

impl View {
    /// The keyword after a network's sizes.
    const fn keyword(self) -> Option<&'static str> {
        match self {
            Self::Planes => None,
            Self::Mover => Some("mover"),
            Self::Attacks => Some("attacks"),
        }
    }

    /// The number of planes.
    const fn planes(self, spec: &EncodingSpec) -> usize {
        match self {
            Self::Planes | Self::Mover => spec.planes,
            Self::Attacks => spec.planes + spec.attack_planes,
        }
    }

    /// Whether the game has such planes.
    fn check(self, spec: &EncodingSpec) -> Result<(), NetKindError> {
        let game = spec.game;
        match self {
            Self::Mover if !spec.can_flip => Err(NetKindError::MoverView { game }),
            Self::Attacks if spec.attack_planes == 0 => Err(NetKindError::AttackPlanes { game }),
            _ => Ok(()),
        }
    }
}

// Sanity limits.
const MAX_NEURONS: usize = 1 << 14;
const MAX_LAYERS: usize = 100;
const MAX_BLOCKS: usize = 200;
const MAX_FILTERS: usize = 2048;
const MAX_PARAMETERS: usize = 1 << 28;

impl NetKind {
    /// Checks that the architecture fits the game and is not too large.
    pub fn check(&self, spec: &EncodingSpec) -> Result<(), NetKindError> {
        let kind = || self.clone();
        let tensors = tensor_specs(self, spec);
        let parameters: usize =
            tensors.iter().map(|tensor| tensor.shape.iter().product::<usize>()).sum();
        if parameters > MAX_PARAMETERS {
            return Err(NetKindError::TooLarge { kind: kind(), parameters, max: MAX_PARAMETERS });
        }
        let Mlp { sizes, is_absolute } = match self {
            Self::Mlp(mlp) => mlp,
            Self::Resnet(resnet) => return resnet.check(spec),
        };
        if *is_absolute && spec.absolute_size == 0 {
            return Err(NetKindError::Absolute { game: spec.game });
        }
        let expected = match is_absolute {
            true => [spec.absolute_size, 0],
            false => [spec.flat_size, spec.inputs()],
        };
        if !expected.contains(&sizes[0]) {
            let expected = expected.into_iter().filter(|inputs| *inputs > 0).collect();
            return Err(NetKindError::Inputs { kind: kind(), game: spec.game, expected });
        }
        if sizes[sizes.len() - 1] != 1 {
            return Err(NetKindError::Outputs { kind: kind() });
        }
        Ok(())
    }

    /// Whether the input is the flat encoding instead of planes.
    pub fn reads_flat(&self, spec: &EncodingSpec) -> bool {
        matches!(self, Self::Mlp(mlp) if !mlp.is_absolute && mlp.sizes[0] == spec.flat_size)
    }

    /// The value for `side` from the output, or the output from the value for `side`: absolute networks
    /// output the value for the second side.
    pub fn value_for(&self, side: Side, value: f32) -> f32 {
        let is_absolute = matches!(self, Self::Mlp(Mlp { is_absolute: true, .. }));
        if is_absolute && side == Side::First { -value } else { value }
    }

    /// Encodes a position that occurred `seen` times before into `input`, which must be all 0 and have
    /// [`inputs`](Self::inputs) floats.
    pub fn encode<G: Encoding>(&self, position: &G, seen: u32, input: &mut [f32]) {
        match self {
            Self::Mlp(Mlp { is_absolute: true, .. }) => position.write_absolute(input),
            Self::Mlp(_) if self.reads_flat(&EncodingSpec::of::<G>()) => position.write_flat(input),
            Self::Mlp(_) | Self::Resnet(Resnet { view: View::Planes, .. }) => {
                position.write_planes(seen, input);
            }
            Self::Resnet(Resnet { view: View::Mover, .. }) => position.write_flipped(seen, input),
            Self::Resnet(Resnet { view: View::Attacks, .. }) => {
                let (planes, attacks) = input.split_at_mut(EncodingSpec::of::<G>().inputs());
                position.write_flipped(seen, planes);
                position.write_attacks(attacks);
            }
        }
    }

    /// The two policy indices whose logits are summed for `m`.
    pub fn policy_indices<G: Encoding>(&self, position: &G, m: G::Move) -> [usize; 2] {
        match self {
            Self::Mlp(_) | Self::Resnet(Resnet { view: View::Planes, .. }) => {
                position.policy_indices(m)
            }
            Self::Resnet(_) => position.flipped_policy_indices(m),
        }
    }

    /// The policy outputs of the action of a side, in whatever position it is legal.
    pub fn action_outputs<G: Encoding>(&self, action: usize, side: Side) -> [usize; 2] {
        match self {
            Self::Mlp(_) | Self::Resnet(Resnet { view: View::Planes, .. }) => {
                G::action_outputs(action)
            }
            Self::Resnet(_) => G::flipped_action_outputs(action, side),
        }
    }

    /// The input length.
    pub fn inputs(&self, spec: &EncodingSpec) -> usize {
        match self {
            Self::Mlp(mlp) => mlp.sizes[0],
            Self::Resnet(resnet) => resnet.planes(spec) * spec.squares(),
        }
    }
}

impl fmt::Display for NetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mlp(Mlp { sizes, is_absolute }) => {
                let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
                let keyword = if *is_absolute { " absolute" } else { "" };
                write!(f, "mlp {}{keyword}", sizes.join("-"))
            }
            Self::Resnet(Resnet { blocks, filters, ownership, view }) => {
                write!(f, "resnet {blocks}x{filters}")?;
                let ownership = ownership.then_some("ownership");
                ownership
                    .into_iter()
                    .chain(view.keyword())
                    .try_for_each(|keyword| write!(f, " {keyword}"))
            }
        }
    }
}

impl FromStr for NetKind {
    type Err = NetKindError;

    fn from_str(text: &str) -> Result<Self, NetKindError> {
        let words: Vec<_> = text.split_whitespace().collect();
        let kind = match words[..] {
            ["mlp", sizes] => mlp(sizes, false),
            ["mlp", sizes, "absolute"] => mlp(sizes, true),
            ["resnet", sizes] => resnet(sizes, false, View::Planes),
            ["resnet", sizes, "ownership"] => resnet(sizes, true, View::Planes),
            ["resnet", sizes, keyword] => view(keyword).and_then(|view| resnet(sizes, false, view)),
            _ => None,
        };
        kind.ok_or_else(|| NetKindError::Syntax { text: text.into() })
    }
}

impl Resnet {
    /// The number of input planes.
    pub const fn planes(&self, spec: &EncodingSpec) -> usize {
        self.view.planes(spec)
    }

    fn check(&self, spec: &EncodingSpec) -> Result<(), NetKindError> {
        self.view.check(spec)?;
        if self.ownership && !spec.has_ownership {
            return Err(NetKindError::Ownership { game: spec.game });
        }
        Ok(())
    }
}

fn mlp(sizes: &str, is_absolute: bool) -> Option<NetKind> {
    let sizes: Option<Vec<usize>> = sizes.split('-').map(|text| size(text, MAX_NEURONS)).collect();
    let sizes = sizes.filter(|sizes| (2..=MAX_LAYERS).contains(&sizes.len()))?;
    Some(NetKind::Mlp(Mlp { sizes, is_absolute }))
}

fn view(keyword: &str) -> Option<View> {
    [View::Mover, View::Attacks].into_iter().find(|view| view.keyword() == Some(keyword))
}

fn resnet(sizes: &str, ownership: bool, view: View) -> Option<NetKind> {
    let (blocks, filters) = sizes.split_once('x')?;
    let (blocks, filters) = (size(blocks, MAX_BLOCKS)?, size(filters, MAX_FILTERS)?);
    Some(NetKind::Resnet(Resnet { blocks, filters, ownership, view }))
}

fn size(text: &str, max: usize) -> Option<usize> {
    text.parse().ok().filter(|size| (1..=max).contains(size))
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    #[test]
    fn text_round_trips() {
        for text in [
            "mlp 65-128-64-32-1",
            "mlp 65-128-64-32-1 absolute",
            "resnet 20x256",
            "resnet 6x64 ownership",
            "resnet 6x64 mover",
            "resnet 4x32 attacks",
            "mlp 9-1",
        ] {
            assert_eq!(text.parse::<NetKind>().expect("a network").to_string(), text);
        }
        for wrong in [
            "",
            "mlp",
            "mlp 65",
            "mlp 65-0-1",
            "resnet 6",
            "resnet 6x",
            "resnet 99999999x1",
            "resnet 6x64 owner",
            "gru 3",
            "mlp 65--1",
            "mlp 65-1 mover",
            "resnet -1x4",
        ] {
            let error = wrong.parse::<NetKind>().expect_err(wrong).to_string();
            assert!(error.contains("resnet 6x64"), "{error}");
        }
    }

    #[test]
    fn architectures_are_checked_against_the_game() {
        let check =
            |text: &str, spec: EncodingSpec| text.parse::<NetKind>().expect("a kind").check(&spec);
        let (othello, small) = (EncodingSpec::of::<Othello>(), EncodingSpec::of::<TicTacToe>());
        assert!(check("mlp 65-128-64-32-1", othello).is_ok());
        assert!(check("mlp 256-32-1", othello).is_ok());
        let error = check("mlp 64-32-1", othello).expect_err("64").to_string();
        assert!(error.contains("65 or 256 inputs"), "{error}");
        assert!(check("mlp 65-128-64-32-1 absolute", othello).is_ok());
        let error = check("mlp 256-32-1 absolute", othello).expect_err("256").to_string();
        assert!(error.contains("has 65 inputs"), "{error}");
        let chess = check("mlp 65-1 absolute", EncodingSpec::of::<Chess>()).expect_err("chess");
        assert!(chess.to_string().contains("leave out `absolute`"), "{chess}");
        let error = check("mlp 65-32-2", othello).expect_err("2").to_string();
        assert!(error.contains("1 output"), "{error}");
        assert!(check("resnet 1x8", small).is_ok());
        assert!(check("resnet 1x8 mover", EncodingSpec::of::<Chess>()).is_ok());
        let error = check("resnet 1x8 mover", othello).expect_err("mover").to_string();
        assert!(error.contains("leave out `mover`"), "{error}");
        assert!(check("resnet 1x8 attacks", EncodingSpec::of::<Chess>()).is_ok());
        let error = check("resnet 1x8 attacks", othello).expect_err("attacks").to_string();
        assert!(error.contains("leave out `attacks`"), "{error}");
        let error =
            check("resnet 1x8 ownership", EncodingSpec::of::<Chess>()).expect_err("no owners");
        assert!(error.to_string().contains("leave out `ownership`"), "{error}");
        let error = check("mlp 27-16000-16000-16000-1", small).expect_err("huge").to_string();
        assert!(error.contains("512 million parameters"), "{error}");
    }
}

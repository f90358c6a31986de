use std::fmt;
use std::str::FromStr;

use crate::{Dims, Encoding, NetError, plan};

/// A kind of network and its sizes, as users write it: `mlp 65-128-64-32-1`, `resnet 6x64`,
/// `resnet 6x64 ownership`, for chess `resnet 6x64 mover` or `resnet 6x64 attacks`.
///
/// ```
/// use tablero_nets::NetKind;
/// let kind: NetKind = "resnet 6x64".parse()?;
/// assert_eq!(kind.to_string(), "resnet 6x64");
/// assert!("resnet 6".parse::<NetKind>().is_err());
/// # Ok::<(), tablero_nets::NetError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetKind {
    /// Fully connected layers, the inputs first: ReLU between them, tanh after the last, which has
    /// one output, the value.
    Mlp(Vec<usize>),
    /// Residual blocks of convolutions, with a head for moves and one for the value.
    Resnet(Resnet),
}

/// The sizes of a residual network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resnet {
    /// Residual blocks.
    pub blocks: usize,
    /// Filters of every convolution in them.
    pub filters: usize,
    /// A further head says for every square whose it will be in the end.
    pub ownership: bool,
    /// How it sees positions.
    pub view: View,
}

/// How a residual network sees positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// By the game's planes.
    Planes,
    /// From the mover's side where the game's planes are not.
    Mover,
    /// From the mover's side, and with planes of what is attacked.
    Attacks,
}

impl View {
    /// The word behind a network's sizes.
    const fn word(self) -> Option<&'static str> {
        match self {
            Self::Planes => None,
            Self::Mover => Some("mover"),
            Self::Attacks => Some("attacks"),
        }
    }

    /// Planes that such a network sees of a game.
    const fn planes(self, dims: &Dims) -> usize {
        match self {
            Self::Planes | Self::Mover => dims.planes,
            Self::Attacks => dims.planes + dims.attack_planes,
        }
    }

    /// What is wrong with it for a game.
    fn problem(self, dims: &Dims) -> Option<String> {
        match self {
            Self::Mover if !dims.turns => Some(format!(
                "networks of {} always see from the mover's side: leave out `mover`",
                dims.game
            )),
            Self::Attacks if dims.attack_planes == 0 => {
                Some(format!("in {} no pieces are attacked: leave out `attacks`", dims.game))
            }
            _ => None,
        }
    }
}

/// Larger networks than these are not meant: neurons of a layer, layers, blocks, filters, and numbers in
/// all.
const MOST_NEURONS: usize = 1 << 14;
const MOST_LAYERS: usize = 100;
const MOST_BLOCKS: usize = 200;
const MOST_FILTERS: usize = 2048;
const MOST_NUMBERS: usize = 1 << 28;

impl NetKind {
    /// An error if a network of this kind cannot see positions of the game, or is too large.
    pub fn check(&self, dims: &Dims) -> Result<(), NetError> {
        let tensors = plan(self, dims);
        let numbers: usize =
            tensors.iter().map(|tensor| tensor.shape.iter().product::<usize>()).sum();
        if numbers > MOST_NUMBERS {
            let millions = numbers / 1_000_000;
            let most = MOST_NUMBERS / 1_000_000;
            let expected =
                format!("it has {millions} million numbers; at most {most} are possible");
            return Err(NetError::Kind { text: self.to_string(), expected });
        }
        let sizes = match self {
            Self::Mlp(sizes) => sizes,
            Self::Resnet(resnet) => {
                let wrong = |expected| Err(NetError::Kind { text: self.to_string(), expected });
                return resnet.problem(dims).map_or(Ok(()), wrong);
            }
        };
        let (inputs, table) = (dims.inputs(), dims.table);
        let (first, last) = (sizes[0], sizes[sizes.len() - 1]);
        let known = if table > 0 { format!("{table} or {inputs}") } else { inputs.to_string() };
        let expected = if first != inputs && (table == 0 || first != table) {
            format!("for {} it begins with {known} inputs", dims.game)
        } else if last != 1 {
            "it ends with 1 output, the value".into()
        } else {
            return Ok(());
        };
        Err(NetError::Kind { text: self.to_string(), expected })
    }

    /// Whether it reads a position's table form instead of its planes.
    pub fn reads_table(&self, dims: &Dims) -> bool {
        matches!(self, Self::Mlp(sizes) if sizes[0] == dims.table)
    }

    /// Writes what such a network sees of a position, which has been on the board `seen` times before,
    /// into `input`, which is all 0.
    pub fn write<G: Encoding>(&self, position: &G, seen: u32, input: &mut [f32]) {
        match self {
            Self::Mlp(_) if self.reads_table(&Dims::of::<G>()) => position.write_table(input),
            Self::Mlp(_) | Self::Resnet(Resnet { view: View::Planes, .. }) => {
                position.write_planes(seen, input);
            }
            Self::Resnet(Resnet { view: View::Mover, .. }) => position.write_turned(seen, input),
            Self::Resnet(Resnet { view: View::Attacks, .. }) => {
                let (planes, attacks) = input.split_at_mut(Dims::of::<G>().inputs());
                position.write_turned(seen, planes);
                position.write_attacks(attacks);
            }
        }
    }

    /// The two outputs whose sum such a network gives for `m`.
    pub fn outputs_of<G: Encoding>(&self, position: &G, m: G::Move) -> [usize; 2] {
        match self {
            Self::Mlp(_) | Self::Resnet(Resnet { view: View::Planes, .. }) => {
                position.outputs_of(m)
            }
            Self::Resnet(_) => position.turned_outputs_of(m),
        }
    }

    /// How many numbers such a network reads.
    pub fn inputs(&self, dims: &Dims) -> usize {
        match self {
            Self::Mlp(sizes) => sizes[0],
            Self::Resnet(resnet) => resnet.planes(dims) * dims.squares(),
        }
    }
}

impl fmt::Display for NetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mlp(sizes) => {
                let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
                write!(f, "mlp {}", sizes.join("-"))
            }
            Self::Resnet(Resnet { blocks, filters, ownership, view }) => {
                write!(f, "resnet {blocks}x{filters}")?;
                let ownership = ownership.then_some("ownership");
                ownership.into_iter().chain(view.word()).try_for_each(|word| write!(f, " {word}"))
            }
        }
    }
}

impl FromStr for NetKind {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let words: Vec<_> = text.split_whitespace().collect();
        let kind = match words[..] {
            ["mlp", sizes] => mlp(sizes),
            ["resnet", sizes] => resnet(sizes, false, View::Planes),
            ["resnet", sizes, "ownership"] => resnet(sizes, true, View::Planes),
            ["resnet", sizes, word] => view(word).and_then(|view| resnet(sizes, false, view)),
            _ => None,
        };
        kind.ok_or_else(|| NetError::Kind {
            text: text.into(),
            expected: "`mlp 65-128-64-32-1` or `resnet 6x64`, with other sizes, is expected, the \
                       second also with `ownership` or, for chess, `mover` or `attacks` behind it"
                .into(),
        })
    }
}

impl Resnet {
    /// Planes that it sees of a game.
    pub const fn planes(&self, dims: &Dims) -> usize {
        self.view.planes(dims)
    }

    /// What is wrong with it for a game.
    fn problem(&self, dims: &Dims) -> Option<String> {
        let owned = format!("in {} squares have no owners: leave out `ownership`", dims.game);
        let is_wrong = self.ownership && !dims.owned;
        self.view.problem(dims).or(is_wrong.then_some(owned))
    }
}

fn mlp(sizes: &str) -> Option<NetKind> {
    let sizes: Option<Vec<usize>> = sizes.split('-').map(|text| size(text, MOST_NEURONS)).collect();
    sizes.filter(|sizes| (2..=MOST_LAYERS).contains(&sizes.len())).map(NetKind::Mlp)
}

fn view(word: &str) -> Option<View> {
    [View::Mover, View::Attacks].into_iter().find(|view| view.word() == Some(word))
}

fn resnet(sizes: &str, ownership: bool, view: View) -> Option<NetKind> {
    let (blocks, filters) = sizes.split_once('x')?;
    let (blocks, filters) = (size(blocks, MOST_BLOCKS)?, size(filters, MOST_FILTERS)?);
    Some(NetKind::Resnet(Resnet { blocks, filters, ownership, view }))
}

fn size(text: &str, most: usize) -> Option<usize> {
    text.parse().ok().filter(|size| (1..=most).contains(size))
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for text in [
            "mlp 65-128-64-32-1",
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
            "resnet -1x4",
        ] {
            let error = wrong.parse::<NetKind>().expect_err(wrong).to_string();
            assert!(error.contains("resnet 6x64"), "{error}");
        }
    }

    #[test]
    fn inputs_must_fit_the_game() {
        let check = |text: &str, dims: Dims| text.parse::<NetKind>().expect("a kind").check(&dims);
        let (othello, small) = (Dims::of::<Othello>(), Dims::of::<TicTacToe>());
        assert!(check("mlp 65-128-64-32-1", othello).is_ok());
        assert!(check("mlp 256-32-1", othello).is_ok());
        let error = check("mlp 64-32-1", othello).expect_err("64").to_string();
        assert!(error.contains("65 or 256 inputs"), "{error}");
        let error = check("mlp 65-32-2", othello).expect_err("2").to_string();
        assert!(error.contains("1 output"), "{error}");
        assert!(check("resnet 1x8", small).is_ok());
        assert!(check("resnet 1x8 mover", Dims::of::<Chess>()).is_ok());
        let error = check("resnet 1x8 mover", othello).expect_err("mover").to_string();
        assert!(error.contains("leave out `mover`"), "{error}");
        assert!(check("resnet 1x8 attacks", Dims::of::<Chess>()).is_ok());
        let error = check("resnet 1x8 attacks", othello).expect_err("attacks").to_string();
        assert!(error.contains("leave out `attacks`"), "{error}");
        let error = check("resnet 1x8 ownership", Dims::of::<Chess>()).expect_err("no owners");
        assert!(error.to_string().contains("leave out `ownership`"), "{error}");
        let error = check("mlp 27-16000-16000-16000-1", small).expect_err("huge").to_string();
        assert!(error.contains("512 million numbers"), "{error}");
    }
}

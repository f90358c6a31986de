//! The networks that come with the program.

use crate::{NetError, Weights};

/// A network that comes with the program; it was trained by it.
#[derive(Clone, Copy, Debug)]
pub struct ShippedNet {
    /// The name that can stand wherever a file of a network can.
    pub name: &'static str,
    /// The game that it plays.
    pub game: &'static str,
    bytes: &'static [u8],
}

macro_rules! shipped {
    ($($name:literal: $game:literal;)*) => {
        &[$(ShippedNet {
            name: $name,
            game: $game,
            bytes: include_bytes!(concat!("../../../weights/", $name, ".safetensors")),
        },)*]
    };
}

/// All of them, the best of a game first.
pub const fn shipped() -> &'static [ShippedNet] {
    shipped! {
        "othello-2x32": "othello";
        "chess-4x32": "chess";
        "shobu-4x32": "shobu";
    }
}

impl ShippedNet {
    /// The network of this name for a game.
    pub fn find(name: &str, game: &str) -> Option<&'static Self> {
        shipped().iter().find(|net| net.name == name && net.game == game)
    }

    /// Its weights, with their past.
    pub fn weights(&self) -> Result<Weights, NetError> {
        Weights::from_bytes(self.bytes)
    }

    /// The size of its file.
    pub const fn size(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_othello::Othello;
    use tablero_shobu::Shobu;

    use super::*;
    use crate::{Dims, Network};

    #[test]
    fn all_can_be_used_and_tell_their_past() {
        for net in shipped() {
            let dims = match net.game {
                "othello" => Dims::of::<Othello>(),
                "chess" => Dims::of::<Chess>(),
                _ => Dims::of::<Shobu>(),
            };
            let weights = net.weights().expect(net.name);
            assert!(Network::new(&weights, &dims).is_ok(), "{}", net.name);
            assert!(weights.past.len() > 1, "{}: {:?}", net.name, weights.past);
            assert!(net.size() < 2 << 20, "{}", net.name);
            assert_eq!(ShippedNet::find(net.name, net.game).map(|net| net.name), Some(net.name));
        }
        assert!(ShippedNet::find("othello-2x32", "chess").is_none());
    }
}

use std::io;
use std::ops::RangeInclusive;

use tablero_core::{AnyGame, AnyPlayer, Limits, Rng};

/// Makes a player as it is wanted, or says why not.
pub type MakePlayer<'a> = Box<dyn Fn(&Setup) -> Result<Box<AnyPlayer>, String> + 'a>;

/// What a protocol needs to know about the engine that it speaks for.
pub struct Engine<'a> {
    /// The game that it plays.
    pub game: AnyGame,
    /// How the engine introduces itself.
    pub name: String,
    /// Makes a player; an error is told to the peer.
    pub make: MakePlayer<'a>,
    /// How to make the player unless the peer says otherwise.
    pub setup: Setup,
    /// The ratings that the player can be held down to, if it can.
    pub elo: Option<RangeInclusive<u32>>,
    /// What bounds a decision in a protocol whose peer may name no bound (NBoard, GTP) and does
    /// not.
    pub pace: Limits,
    /// Whatever the player does at random comes from this.
    pub seed: u64,
}

/// How to make a player: what a peer can set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Size of the table of seen positions, in MB.
    pub hash_mb: usize,
    /// How many threads think.
    pub threads: usize,
    /// How many of the best moves to tell about.
    pub lines: usize,
    /// The rating to play at; none is full strength.
    pub elo: Option<u32>,
}

impl Default for Setup {
    fn default() -> Self {
        Self { hash_mb: 16, threads: 1, lines: 1, elo: None }
    }
}

/// The player of an engine that is made again only when it has to be.
pub(crate) struct Seat<'a> {
    engine: &'a Engine<'a>,
    /// The player, while it is not thinking.
    player: Option<Box<AnyPlayer>>,
    made_with: Option<Setup>,
    /// How many games there were.
    games: u64,
}

impl<'a> Seat<'a> {
    pub(crate) const fn new(engine: &'a Engine<'a>) -> Self {
        Self { engine, player: None, made_with: None, games: 0 }
    }

    /// Makes the player if it was made differently. If that fails, the error says why, and the old
    /// player stays, or one is made as at the start; without that the engine cannot go on.
    pub(crate) fn prepare(&mut self, setup: &Setup) -> io::Result<Result<(), String>> {
        if self.made_with.as_ref() == Some(setup) {
            return Ok(Ok(()));
        }
        self.made_with = Some(setup.clone());
        let result = self.make(setup);
        if result.is_err() && self.player.is_none() {
            self.make(&self.engine.setup).map_err(io::Error::other)?;
        }
        Ok(result)
    }

    fn make(&mut self, setup: &Setup) -> Result<(), String> {
        // A player that finds no room for its table would end the program.
        let wanted = setup.hash_mb.saturating_mul(1 << 20);
        if Vec::<u8>::new().try_reserve_exact(wanted).is_err() {
            return Err(format!("there is no room for {} MB", setup.hash_mb));
        }
        let mut player = (self.engine.make)(setup)?;
        player.new_game(self.seed());
        self.player = Some(player);
        Ok(())
    }

    /// Takes the player, to think elsewhere.
    pub(crate) fn take(&mut self) -> Option<Box<AnyPlayer>> {
        self.player.take()
    }

    /// The player is back.
    pub(crate) fn put_back(&mut self, player: Box<AnyPlayer>) {
        self.player = Some(player);
    }

    pub(crate) fn new_game(&mut self) {
        self.games += 1;
        let seed = self.seed();
        if let Some(player) = &mut self.player {
            player.new_game(seed);
        }
    }

    fn seed(&self) -> u64 {
        Rng::for_part(self.engine.seed, self.games).bits()
    }
}

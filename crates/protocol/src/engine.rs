use std::io;
use std::ops::RangeInclusive;

use tablero_core::{AnyGame, AnyPlayer, Limits, Rng};

/// Builds a player; the error is a message for the GUI.
pub type PlayerFactory<'a> = Box<dyn Fn(&EngineSettings) -> Result<Box<AnyPlayer>, String> + 'a>;

/// The engine that [`serve`](crate::serve) runs: a game, a player factory and defaults.
pub struct Engine<'a> {
    /// The game it plays.
    pub game: AnyGame,
    /// Name sent in the handshake (`id name`).
    pub name: String,
    /// Builds the player, and again when the settings change.
    pub make_player: PlayerFactory<'a>,
    /// Default settings.
    pub settings: EngineSettings,
    /// Range of `UCI_Elo`, if the player's strength can be limited.
    pub elo: Option<RangeInclusive<u32>>,
    /// Search limits in protocols where the GUI need not give any (NBoard, GTP).
    pub default_limits: Limits,
    /// Random seed.
    pub seed: u64,
}

/// Settings of a player that a GUI can change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSettings {
    /// Size of the transposition table in MB (`Hash`).
    pub hash_mb: usize,
    /// Search threads (`Threads`).
    pub threads: usize,
    /// Number of principal variations to report (`MultiPV`).
    pub multipv: usize,
    /// Rating to play at (`UCI_Elo`); `None` is full strength.
    pub elo: Option<u32>,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self { hash_mb: 16, threads: 1, multipv: 1, elo: None }
    }
}

/// Holds the engine's player and rebuilds it when the settings change.
pub(crate) struct PlayerSlot<'a> {
    engine: &'a Engine<'a>,
    /// The player, unless it is searching.
    player: Option<Box<AnyPlayer>>,
    settings: Option<EngineSettings>,
    /// Games so far; part of the seed.
    games: u64,
}

impl<'a> PlayerSlot<'a> {
    pub(crate) const fn new(engine: &'a Engine<'a>) -> Self {
        Self { engine, player: None, settings: None, games: 0 }
    }

    /// Rebuilds the player if `settings` differ from its own. If that fails, the inner error says why and the
    /// old player stays, or one with the default settings; the outer error means there is none at all.
    pub(crate) fn configure(
        &mut self,
        settings: &EngineSettings,
    ) -> io::Result<Result<(), String>> {
        if self.settings.as_ref() == Some(settings) {
            return Ok(Ok(()));
        }
        self.settings = Some(settings.clone());
        let result = self.build(settings);
        if result.is_err() && self.player.is_none() {
            self.build(&self.engine.settings).map_err(io::Error::other)?;
        }
        Ok(result)
    }

    fn build(&mut self, settings: &EngineSettings) -> Result<(), String> {
        // A failed allocation of the table would abort the process.
        let wanted = settings.hash_mb.saturating_mul(1 << 20);
        if Vec::<u8>::new().try_reserve_exact(wanted).is_err() {
            return Err(format!("cannot allocate {} MB", settings.hash_mb));
        }
        let mut player = (self.engine.make_player)(settings)?;
        player.new_game(self.seed());
        self.player = Some(player);
        Ok(())
    }

    /// Takes the player for a search.
    pub(crate) fn take(&mut self) -> Option<Box<AnyPlayer>> {
        self.player.take()
    }

    /// Puts the player back after a search.
    pub(crate) fn put(&mut self, player: Box<AnyPlayer>) {
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
        Rng::for_stream(self.engine.seed, self.games).bits()
    }
}

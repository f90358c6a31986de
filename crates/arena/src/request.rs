//! From a user's request to the settings of a match.

use std::time::Duration;

use tablero_core::AnyGame;

use crate::{
    ArenaError, Conditions, DrawAdjudication, MatchSettings, Openings, ResignAdjudication,
    TimeControl,
};

/// A match as requested on the command line or through the API. Both convert it here, so that the same
/// request is the same match.
///
/// ```
/// use tablero_arena::{MatchRequest, Openings};
/// use tablero_core::AnyGame;
/// use tablero_tictactoe::TicTacToe;
///
/// let request = MatchRequest {
///     games: 20,
///     openings: Some("random=2".parse().unwrap()),
///     nodes: Some(1000),
///     ..MatchRequest::default()
/// };
/// let settings = request.settings(AnyGame::of::<TicTacToe>())?;
/// assert_eq!((settings.games, settings.openings), (20, Openings::Random { plies: 2 }));
/// # Ok::<(), tablero_arena::ArenaError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchRequest {
    /// The rules; the game's default if none.
    pub rules: Option<String>,
    /// Games per pairing, rounded up to whole pairs.
    pub games: usize,
    /// The openings; [`Openings::Balanced`] if none.
    pub openings: Option<Openings>,
    /// Maximum search depth in plies.
    pub depth: Option<u32>,
    /// Maximum nodes or iterations per move.
    pub nodes: Option<u64>,
    /// Time per move.
    pub move_time: Option<Duration>,
    /// Time control for the whole game.
    pub clock: Option<TimeControl>,
    /// A game of this many plies is adjudicated a draw.
    pub max_plies: Option<usize>,
    /// Adjudicate draws and resignations by the players' scores.
    pub adjudicate: bool,
    /// The random seed.
    pub seed: u64,
}

/// The rules of [`MatchRequest::adjudicate`].
const DRAW_ADJUDICATION: DrawAdjudication = DrawAdjudication { from_ply: 80, plies: 10, score: 10 };
const RESIGN_ADJUDICATION: ResignAdjudication = ResignAdjudication { moves: 4, score: 800 };

impl Default for MatchRequest {
    /// 100 games from balanced default openings with seed 1; the players limit themselves.
    fn default() -> Self {
        Self {
            rules: None,
            games: 100,
            openings: None,
            depth: None,
            nodes: None,
            move_time: None,
            clock: None,
            max_plies: None,
            adjudicate: false,
            seed: 1,
        }
    }
}

impl MatchRequest {
    /// The settings of the match.
    pub fn settings(&self, game: AnyGame) -> Result<MatchSettings, ArenaError> {
        if self.games == 0 {
            return Err(ArenaError::NoGames);
        }
        game.rules_or_default(self.rules.as_deref())?;
        Ok(MatchSettings {
            rules: self.rules.clone(),
            games: self.games,
            openings: self.openings.clone().unwrap_or(Openings::Balanced),
            conditions: self.conditions(),
            ..MatchSettings::default_for(game, self.seed)
        })
    }

    /// The conditions of the games.
    pub fn conditions(&self) -> Conditions {
        Conditions {
            depth: self.depth,
            nodes: self.nodes,
            move_time_ms: self.move_time.map(|time| (time.as_millis() as u64).max(1)),
            clock: self.clock,
            draw: self.adjudicate.then_some(DRAW_ADJUDICATION),
            resign: self.adjudicate.then_some(RESIGN_ADJUDICATION),
            max_plies: self.max_plies,
            ..Conditions::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use tablero_othello::Othello;

    use super::*;

    fn othello() -> AnyGame {
        AnyGame::of::<Othello>()
    }

    #[test]
    fn default_openings_are_balanced() {
        let request = MatchRequest { games: 41, seed: 3, ..MatchRequest::default() };
        let expected = MatchSettings {
            games: 41,
            openings: Openings::Balanced,
            ..MatchSettings::default_for(othello(), 3)
        };
        assert_eq!(request.settings(othello()).unwrap(), expected);
    }

    #[test]
    fn given_openings_are_kept() {
        for openings in [Openings::Start, Openings::Random { plies: 3 }] {
            let request =
                MatchRequest { openings: Some(openings.clone()), ..MatchRequest::default() };
            let settings = request.settings(othello()).unwrap();
            let expected = MatchSettings { openings, ..MatchSettings::default_for(othello(), 1) };
            assert_eq!(settings, expected);
        }
    }

    #[test]
    fn conditions_follow_the_request() {
        let clock = TimeControl { base_ms: 1000, increment_ms: 10 };
        let request = MatchRequest {
            rules: Some("standard".into()),
            openings: Some(Openings::Start),
            depth: Some(3),
            nodes: Some(50),
            move_time: Some(Duration::from_micros(20)),
            clock: Some(clock),
            max_plies: Some(99),
            adjudicate: true,
            ..MatchRequest::default()
        };
        let settings = request.settings(othello()).unwrap();
        assert_eq!(settings.rules.as_deref(), Some("standard"));
        let expected = Conditions {
            depth: Some(3),
            nodes: Some(50),
            move_time_ms: Some(1),
            clock: Some(clock),
            max_plies: Some(99),
            draw: Some(DRAW_ADJUDICATION),
            resign: Some(RESIGN_ADJUDICATION),
            ..Conditions::default()
        };
        assert_eq!(settings.conditions, expected);
        assert_eq!(MatchRequest::default().conditions(), Conditions::default());
    }

    #[test]
    fn invalid_requests_are_rejected() {
        let problem = |request: &MatchRequest| request.settings(othello()).unwrap_err().to_string();
        let none = MatchRequest { games: 0, ..MatchRequest::default() };
        assert_eq!(problem(&none), "a match has at least 1 game");
        let odd = MatchRequest { rules: Some("odd".into()), ..MatchRequest::default() };
        assert!(problem(&odd).starts_with("othello has no rules `odd`; there are "));
    }
}

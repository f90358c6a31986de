//! Games between people on different machines: each seat has a secret of its own, and what one side may not
//! do alone is offered to the other.

use serde::{Deserialize, Serialize};

use super::game::{Change, Game, other};
use crate::api::{
    EndAction, EndGame, EndReason, GameEnd, Problem, RemoteState, Seat, Side, TakebackAction,
};
use crate::error::ApiResult;
use crate::random::random_token;
use crate::security::constant_time_eq;

/// The secrets of a game. Whoever knows one has its role.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Invitation {
    /// Of each seat.
    pub(crate) seats: [String; 2],
    /// Of those who only watch.
    pub(crate) watch: String,
    /// Whether each player has opened the game once.
    #[serde(default)]
    joined: [bool; 2],
}

/// What a secret permits in its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Player(Side),
    Watcher,
}

/// What is not stored: it ends with the connections.
#[derive(Default)]
pub(crate) struct Table {
    /// The number of connections of each player.
    present: [usize; 2],
    draw_offer: Option<Side>,
    takeback: Option<Side>,
    /// The ply of each side's last draw offer: one offer per move.
    offered_at: [Option<u32>; 2],
}

/// An engine considers draws from this ply on.
const MIN_DRAW_PLY: u32 = 20;
/// The most win probability with which an engine accepts a draw.
const MAX_DRAW_PROBABILITY: f64 = 0.5;
const MAX_NAME: usize = 200;

impl Invitation {
    fn new() -> Self {
        Self { seats: [random_token(), random_token()], watch: random_token(), joined: [false; 2] }
    }

    /// The role of whoever knows `secret`.
    pub(crate) fn role(&self, secret: &str) -> Option<Role> {
        let roles = [
            (&self.seats[0], Role::Player(Side::First)),
            (&self.seats[1], Role::Player(Side::Second)),
            (&self.watch, Role::Watcher),
        ];
        let known = roles.into_iter().find(|(known, _)| constant_time_eq(secret, known));
        known.map(|(_, role)| role)
    }
}

impl Table {
    /// Offers end with every move.
    pub(super) const fn clear_offers(&mut self) {
        (self.draw_offer, self.takeback) = (None, None);
    }
}

impl Game {
    pub(crate) const fn invitation(&self) -> Option<&Invitation> {
        self.header.invitation.as_ref()
    }

    /// Whether people on different machines are playing: then only moves and offers change the game.
    pub(crate) const fn is_remote_running(&self) -> bool {
        self.header.invitation.is_some() && self.header.ended.is_none()
    }

    /// Whether all players have come; always true at one machine.
    pub(super) fn has_both_players(&self) -> bool {
        self.invitation().is_none_or(|invitation| invitation.joined == [true; 2])
    }

    pub(super) fn remote_state(&self) -> Option<RemoteState> {
        let invitation = self.invitation()?;
        Some(RemoteState {
            running: self.is_remote_running(),
            joined: invitation.joined,
            present: self.table.present.map(|count| count > 0),
            draw_offer: self.table.draw_offer,
            takeback: self.table.takeback,
        })
    }

    /// Creates an invitation; the secrets of an earlier one become invalid.
    pub(crate) fn invite(&mut self) -> ApiResult<Change> {
        if self.header.ended.is_some() || self.is_over_here() {
            return Err(Problem::GameOver.into());
        }
        if !self.header.players.iter().all(Seat::is_human) {
            return Err(Problem::InvitationNeedsHumans.into());
        }
        self.header.invitation = Some(Invitation::new());
        self.table = Table::default();
        Ok(Change::default())
    }

    /// Withdraws the invitation: both sides are at this machine again.
    pub(crate) fn withdraw_invitation(&mut self) -> Change {
        self.header.invitation = None;
        self.table = Table::default();
        Change::default()
    }

    /// Counts a connection of a player.
    pub(crate) fn enter(&mut self, side: Side) -> Change {
        self.table.present[side.index()] += 1;
        let is_running = self.subscribers > 0;
        let Some(invitation) = &mut self.header.invitation else { return Change::transient() };
        if std::mem::replace(&mut invitation.joined[side.index()], true) {
            return Change::transient();
        }
        // The wait for the other player is nobody's time.
        self.stopwatch.reset(is_running);
        Change::default()
    }

    /// A connection of a player ended.
    pub(crate) fn leave(&mut self, side: Side) -> Change {
        let present = &mut self.table.present[side.index()];
        *present = present.saturating_sub(1);
        Change::transient()
    }

    pub(crate) fn name_seat(&mut self, side: Side, name: String) -> ApiResult<Change> {
        if name.len() > MAX_NAME {
            return Err(Problem::NameTooLong { max: MAX_NAME }.into());
        }
        self.header.players[side.index()].name = name;
        Ok(Change::default())
    }

    /// Ends a remote game, or offers to, for the player `side`.
    pub(crate) fn end_remote(&mut self, side: Side, action: EndAction) -> ApiResult<Change> {
        if self.is_over_here() {
            return Err(Problem::GameOver.into());
        }
        match action {
            EndAction::Resign => Ok(self.resign(side)),
            EndAction::OfferDraw if self.table.draw_offer == Some(other(side)) => {
                Ok(self.agree_draw())
            }
            EndAction::OfferDraw => self.offer_draw(side),
            EndAction::AgreeDraw if self.table.draw_offer == Some(other(side)) => {
                Ok(self.agree_draw())
            }
            EndAction::AgreeDraw => Err(Problem::NoOffer.into()),
            EndAction::DeclineDraw => {
                self.table.draw_offer.take().ok_or(Problem::NoOffer)?;
                Ok(Change::transient())
            }
            EndAction::ClaimDraw if side == self.turn() => {
                self.end(EndGame { action, side: Some(side) })
            }
            EndAction::ClaimDraw => Err(Problem::NotYourSeat.into()),
        }
    }

    fn agree_draw(&mut self) -> Change {
        self.end_with(GameEnd::off_board(None, EndReason::Agreement))
    }

    fn offer_draw(&mut self, side: Side) -> ApiResult<Change> {
        let ply = self.here().ply;
        if self.table.offered_at[side.index()].replace(ply) == Some(ply) {
            return Err(Problem::OfferedAlready.into());
        }
        self.table.draw_offer = Some(side);
        Ok(Change::transient())
    }

    /// Offers a draw to the engine of the other side, which judges by the score of its last move.
    pub(super) fn offer_draw_to_engine(&mut self) -> ApiResult<Change> {
        let human = self.only_human().ok_or(Problem::OfferNeedsOpponent)?;
        let ply = self.here().ply;
        if ply < MIN_DRAW_PLY {
            return Err(Problem::DrawOfferTooEarly { plies: MIN_DRAW_PLY }.into());
        }
        if self.table.offered_at[human.index()].replace(ply) == Some(ply) {
            return Err(Problem::OfferedAlready.into());
        }
        let path = self.tree.path(self.current);
        // A node's score is by the engine that moved there.
        let score = path.iter().rev().find_map(|node| node.score.as_ref());
        let for_engine = score.map(|score| match human {
            Side::First => 1.0 - score.win_probability,
            Side::Second => score.win_probability,
        });
        match for_engine {
            Some(probability) if probability <= MAX_DRAW_PROBABILITY => Ok(self.agree_draw()),
            _ => Err(Problem::DrawDeclined.into()),
        }
    }

    /// A step of taking back a move, by the player `side`.
    pub(crate) fn takeback(&mut self, side: Side, action: TakebackAction) -> ApiResult<Change> {
        if self.is_over_here() {
            return Err(Problem::GameOver.into());
        }
        match action {
            TakebackAction::Request => {
                self.last_turn_of(Some(side)).ok_or(Problem::NothingToUndo)?;
                if self.table.takeback.is_some() {
                    return Err(Problem::OfferedAlready.into());
                }
                self.table.takeback = Some(side);
                Ok(Change::transient())
            }
            TakebackAction::Accept => {
                let asked = self.table.takeback.filter(|asked| *asked != side);
                self.take_back(asked.ok_or(Problem::NoOffer)?)
            }
            TakebackAction::Decline => {
                self.table.takeback.take().ok_or(Problem::NoOffer)?;
                Ok(Change::transient())
            }
        }
    }

    /// Deletes the last move of `side`, and the reply to it if there is one.
    fn take_back(&mut self, side: Side) -> ApiResult<Change> {
        let target = self.last_turn_of(Some(side)).ok_or(Problem::NothingToUndo)?;
        let path = self.tree.path(self.current);
        let taken = path.iter().find(|node| node.parent == Some(target)).map(|node| node.id);
        self.table.clear_offers();
        match taken {
            Some(taken) => self.delete_node(taken),
            None => Ok(Change::default()),
        }
    }
}

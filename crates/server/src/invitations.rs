//! Invitations: a game between people on different machines. The owner of the server creates one; whoever
//! opens one of its links gets a cookie with the secret of that place, and nothing else of the server.

use crate::api::{EndGame, GameView, InvitationLinks, Problem, SeatView, Side, Takeback};
use crate::app::App;
use crate::caller::Caller;
use crate::error::ApiResult;
use crate::games::{Change, Game, Invitation, MoveMeta, Role};

/// The path of the links.
pub(crate) const JOIN: &str = "/join/";

impl App {
    /// Creates an invitation of a game; returns the secret of the seat of `side`.
    pub(crate) fn invite(&self, id: &str, side: Side) -> ApiResult<String> {
        self.update_any_game(id, Game::invite)?;
        let handle = self.library.get(id)?;
        let game = handle.lock();
        let invitation = game.invitation().ok_or(Problem::NotYourSeat)?;
        Ok(invitation.seats[side.index()].clone())
    }

    /// Withdraws the invitation of a game.
    pub(crate) fn withdraw_invitation(&self, id: &str) -> ApiResult<GameView> {
        self.update_any_game(id, |game| Ok(game.withdraw_invitation()))
    }

    /// The caller's place in a game.
    pub(crate) fn seat(&self, id: &str, caller: &Caller) -> ApiResult<SeatView> {
        let handle = self.library.get(id)?;
        let game = handle.lock();
        let links = game.invitation().filter(|_| caller.is_owner);
        Ok(SeatView {
            side: caller.side_in(&game),
            links: links.map(|invitation| links_of(&game.id, invitation)),
        })
    }

    /// The secret to remember for someone who opened the link of `secret`; `None` if it is not valid.
    /// A player who opens another link of the same game stays in the own seat.
    pub(crate) fn join(&self, id: &str, secret: &str, caller: &Caller) -> Option<String> {
        let handle = self.library.get(id).ok()?;
        let game = handle.lock();
        let invitation = game.invitation()?;
        invitation.role(secret)?;
        match caller.role_in(&game) {
            Some(Role::Player(side)) => Some(invitation.seats[side.index()].clone()),
            _ => Some(secret.into()),
        }
    }

    /// Plays a human's move; in a remote game only on the own turn, at the current node.
    pub(crate) fn play_move_as(
        &self,
        id: &str,
        caller: &Caller,
        at: Option<u32>,
        name: &str,
    ) -> ApiResult<GameView> {
        if !self.is_remote_running(id)? {
            return self.play_move(id, at, name);
        }
        self.update_seat(id, caller, |game, side| {
            let current = game.current();
            if side != game.turn() || at.is_some_and(|at| at != current) {
                return Err(Problem::NotYourSeat.into());
            }
            if game.is_over_here() {
                return Err(Problem::GameOver.into());
            }
            game.play(current, name, MoveMeta::default())
        })
    }

    /// Resigns, offers or agrees on a draw, claims one.
    pub(crate) fn end_game_as(
        &self,
        id: &str,
        caller: &Caller,
        request: EndGame,
    ) -> ApiResult<GameView> {
        if !self.is_remote_running(id)? {
            return self.update_game(id, |game| game.end(request));
        }
        self.update_seat(id, caller, |game, side| game.end_remote(side, request.action))
    }

    /// A step of taking back a move.
    pub(crate) fn takeback(
        &self,
        id: &str,
        caller: &Caller,
        request: Takeback,
    ) -> ApiResult<GameView> {
        self.update_seat(id, caller, |game, side| game.takeback(side, request.action))
    }

    /// Names the caller's seat.
    pub(crate) fn name_seat(&self, id: &str, caller: &Caller, name: String) -> ApiResult<GameView> {
        self.update_seat(id, caller, |game, side| game.name_seat(side, name))
    }

    fn is_remote_running(&self, id: &str) -> ApiResult<bool> {
        Ok(self.library.get(id)?.lock().is_remote_running())
    }

    /// Applies an operation for the seat of the caller.
    fn update_seat(
        &self,
        id: &str,
        caller: &Caller,
        operation: impl FnOnce(&mut Game, Side) -> ApiResult<Change>,
    ) -> ApiResult<GameView> {
        self.update_any_game(id, |game| {
            let side = caller.require_side(game)?;
            operation(game, side)
        })
    }
}

fn links_of(id: &str, invitation: &Invitation) -> InvitationLinks {
    let link = |secret: &String| format!("{JOIN}{id}/{secret}");
    InvitationLinks { seats: invitation.seats.each_ref().map(link), watch: link(&invitation.watch) }
}

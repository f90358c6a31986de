//! Who sends a request: the server's owner, or a guest with the secret of a game.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::Method;
use axum::http::request::Parts;

use crate::api::{Problem, Side};
use crate::app::App;
use crate::error::ApiResult;
use crate::games::{Game, Role};

/// The sender of a request; an extension of every request that passed authentication.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    /// Whether it may do everything: it has the token, or the server needs none.
    pub(crate) is_owner: bool,
    /// The secrets in its cookies, by game id. Not checked yet.
    pub(crate) secrets: Vec<(String, String)>,
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

impl Caller {
    /// Its role in a game, by its secret.
    pub(crate) fn role_in(&self, game: &Game) -> Option<Role> {
        let invitation = game.invitation()?;
        let secrets = self.secrets.iter().filter(|(id, _)| *id == game.id);
        secrets.filter_map(|(_, secret)| invitation.role(secret)).next()
    }

    /// The side that it plays in a game with an invitation.
    pub(crate) fn side_in(&self, game: &Game) -> Option<Side> {
        match self.role_in(game)? {
            Role::Player(side) => Some(side),
            Role::Watcher => None,
        }
    }

    /// The side that it plays; an error for watchers.
    pub(crate) fn require_side(&self, game: &Game) -> ApiResult<Side> {
        Ok(self.side_in(game).ok_or(Problem::NotYourSeat)?)
    }

    /// Whether it may see a game.
    pub(crate) fn may_watch(&self, app: &App, id: &str) -> bool {
        let has_role = || {
            let handle = app.library.get(id);
            handle.is_ok_and(|handle| self.role_in(&handle.lock()).is_some())
        };
        self.is_owner || has_role()
    }

    /// Whether a guest may send this request.
    pub(crate) fn guest_may(&self, app: &App, method: &Method, path: &str) -> bool {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let Some(path) = path.strip_prefix("/api/") else { return is_read };
        let mut parts = path.split('/');
        match (parts.next().unwrap_or_default(), parts.next()) {
            ("about" | "catalog" | "ws", _) => is_read,
            ("games", Some(id)) => {
                let rest: Vec<&str> = parts.collect();
                let is_permitted = match rest[..] {
                    [] | ["seat" | "export" | "share"] | ["nodes", _, "moves"] => is_read,
                    ["moves" | "end" | "takeback"] => *method == Method::POST,
                    ["name"] => *method == Method::PUT,
                    _ => false,
                };
                is_permitted && self.may_watch(app, id)
            }
            _ => false,
        }
    }

    /// Whether any of its secrets is valid.
    pub(crate) fn is_guest(&self, app: &App) -> bool {
        self.secrets.iter().any(|(id, _)| self.may_watch(app, id))
    }
}

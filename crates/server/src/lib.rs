//! The page and its API: games, analysis and jobs over HTTP and WebSocket.
//!
//! - [`Server::start`] serves what a [`Config`] says; [`openapi`] describes the API, and is made from
//!   the types in [`api`] and the handlers. It stands in `web/openapi.json`, from which the page's types
//!   are made.
//! - `security` looks at every request first; `http` and `socket` take requests apart; `play`,
//!   `analysis` and `jobs` do the work, with searches on the threads of a `pool`.
//! - `games` keeps games in the data folder: trees of moves as text; those in use are also played, so
//!   that nothing is played again for every request. `players` keeps the machines of their seats.
//! - `describe` tells a page all about a game. Which games there are is the
//!   [registry](tablero_registry)'s business: nothing here names one.

mod analysis;
pub mod api;
mod app;
mod assets;
mod cluster;
mod config;
mod describe;
mod error;
mod file;
mod games;
mod housekeeping;
mod http;
mod jobs;
mod play;
mod players;
mod pool;
mod random;
mod review;
mod security;
mod server;
mod socket;

pub use cluster::Workers;
pub use config::{Config, DEFAULT_PORT};
pub use server::{Server, StartError};

/// The OpenAPI document of the API, as text.
pub fn openapi() -> String {
    let (_, document) = http::api();
    // Plain data with text as keys always serialises.
    document.to_pretty_json().expect("plain data") + "\n"
}

//! The web server: the page and its API, games, analysis and jobs over HTTP and WebSocket (axum, tokio).
//!
//! - `connections` accepts connections within bounds, `security` authenticates every request and `body`
//!   receives its body (`caller` says whose it is: the owner's, or a guest's with an `invitation`); the handlers are in `http` (one file per subject) and `socket` (the WebSocket).
//! - `play`, `analysis` and `jobs` do the work. Searches run on `search_pool`, blocking work on tokio's
//!   blocking threads: handlers never block the async ones.
//! - `games` stores games in the data folder as trees of moves and caches those in use with their
//!   positions. `players` pools their engines within a memory budget.
//! - `describe` converts the presentation of a game to API types. Nothing here names a game: they come from
//!   the [registry](tablero_registry).
//! - [`openapi`] is generated from the types in [`api`] and the handlers. It is checked in as
//!   `web/openapi.json`, from which the page's TypeScript types are generated.
//!
//! ```no_run
//! use tablero_server::{Config, Server};
//!
//! tablero_registry::install(tablero_catalog::games());
//! let server = Server::start(Config::new("data".into()))?;
//! println!("{}", server.url());
//! server.wait();
//! # Ok::<(), tablero_server::StartError>(())
//! ```

mod analysis;
pub mod api;
mod app;
mod archive;
mod assets;
mod body;
mod caller;
mod cluster;
mod compare;
mod config;
mod connections;
mod describe;
mod error;
mod explain;
mod game_file;
mod games;
mod housekeeping;
mod http;
mod invitations;
mod jobs;
mod play;
mod player_files;
mod players;
mod progress;
mod random;
mod results;
mod review;
mod search_pool;
mod security;
mod server;
mod socket;
mod think;
mod tls;
mod training;

pub use cluster::Workers;
pub use config::{Config, ConnectionLimits, DEFAULT_PORT, PublicUrl, TlsFiles};
pub use server::{Server, StartError};

/// The OpenAPI document of the API, as JSON.
pub fn openapi() -> String {
    let (_, document) = http::api();
    // Plain data with string keys always serialises.
    document.to_pretty_json().expect("plain data") + "\n"
}

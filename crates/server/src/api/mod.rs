//! The types of the API, from which the OpenAPI document and the page's TypeScript types are generated.

mod archive;
mod catalog;
mod cluster;
mod evolution;
mod experiments;
mod explanation;
mod game;
mod invitations;
mod jobs;
mod learning;
mod library;
mod moves;
mod player_files;
mod problem;
mod results;
mod socket;
mod training;
mod values;

pub use archive::*;
pub use catalog::*;
pub use cluster::*;
pub use evolution::*;
pub use experiments::*;
pub use explanation::*;
pub use game::*;
pub use invitations::*;
pub use jobs::*;
pub use learning::*;
pub use library::*;
pub use moves::*;
pub use player_files::*;
pub use problem::*;
pub use results::*;
pub use socket::*;
pub use training::*;
pub use values::*;

//! The types of the API, from which the OpenAPI document and the page's TypeScript types are generated.

mod catalog;
mod cluster;
mod evolution;
mod game;
mod jobs;
mod learning;
mod library;
mod moves;
mod problem;
mod socket;
mod values;

pub use catalog::*;
pub use cluster::*;
pub use evolution::*;
pub use game::*;
pub use jobs::*;
pub use learning::*;
pub use library::*;
pub use moves::*;
pub use problem::*;
pub use socket::*;
pub use values::*;

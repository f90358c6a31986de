//! Learning of NNUE evaluations by self-play of alpha-beta, in the [generation loop](crate::generations).
//!
//! A generation plays games at a fixed number of nodes ([`NnueConfig::player`]) with the best network so far, keeps
//! their positions ([`NnueData`]), trains on those of the latest generations ([`NnueFit`]) and meets the best
//! network in a match. The first generation's games are a teacher's, or those of a random network: then the
//! game results alone are the targets.

mod config;
mod data;
mod fit;
mod trainee;

pub use config::{NnueConfig, NnueFitConfig, parse_nnue};
pub use data::{NnueData, add_positions};
pub use fit::NnueFit;
pub use trainee::{NNUE_BEST, NNUE_JOB_KIND, NnueGeneration, NnueHistory, open_nnue_run, run_nnue};

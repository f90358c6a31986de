//! Evaluation functions by name: hand-written, evolved, NNUE; shipped or in files.

use std::path::Path;
use std::sync::Arc;

use tablero_core::{
    Evaluation, Localized, OptionInfo, OptionValues, Playable, PlayerLine, PlayerLineError,
    PlayerSetup, SharedCache,
};
use tablero_genomes::GenomeError;
use tablero_nets::NetError;
use tablero_nets::nnue::{NNUE_EXTENSION, Nnue, NnueWeights};

use super::kinds::option;

/// The names of a game's evaluations, the default first.
pub(crate) fn evaluation_names<G: Playable>() -> Vec<String> {
    let nnue = G::SHIPPED_NNUE.iter().map(|file| file.name.to_owned());
    nnue.chain(tablero_genomes::known_names::<G>()).collect()
}

/// The option `eval`.
pub(super) fn eval_option<G: Playable>() -> OptionInfo {
    let names = evaluation_names::<G>();
    let default = names.first().cloned().unwrap_or_default();
    let about = Localized::new(
        "evaluation function: a name, a file of evolved genomes, or a .nnue file",
        "función de evaluación: un nombre, un archivo de genomas evolucionados o un archivo .nnue",
    );
    option("eval", OptionValues::NameOrFile(names), &default, about)
}

/// The evaluation of a validated line, or the game's default.
pub(super) fn evaluation<G: Playable>(
    line: &PlayerLine,
    setup: &PlayerSetup,
) -> Result<Box<dyn Evaluation<G>>, PlayerLineError> {
    match line.option("eval") {
        None => Ok(default_evaluation()),
        Some(name) => named::<G>(name, setup),
    }
}

/// The best evaluation that ships with the program.
pub(crate) fn default_evaluation<G: Playable>() -> Box<dyn Evaluation<G>> {
    let nnue = G::SHIPPED_NNUE.first().and_then(|file| shipped::<G>(file.name)?.ok());
    nnue.unwrap_or_else(|| G::evaluations()[0].hand_tuned())
}

fn named<G: Playable>(
    name: &str,
    setup: &PlayerSetup,
) -> Result<Box<dyn Evaluation<G>>, PlayerLineError> {
    let known = evaluation_names::<G>;
    let invalid = |reason: String| PlayerLineError::InvalidFile {
        option: "eval".into(),
        value: name.into(),
        reason,
    };
    if let Some(nnue) = shipped::<G>(name) {
        return nnue.map_err(|error| invalid(error.to_string()));
    }
    if !tablero_genomes::is_known::<G>(name) {
        setup.permissions.check_file("eval", name, &known())?;
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension == NNUE_EXTENSION) && path.exists() {
        let weights = NnueWeights::read(path);
        let nnue = weights.and_then(|weights| Nnue::<G>::new(Arc::new(weights)));
        return nnue.map(boxed).map_err(|error| invalid(error.to_string()));
    }
    tablero_genomes::evaluation(name).map_err(|error| match error {
        GenomeError::Unknown { name, .. } => {
            PlayerLineError::NotFound { option: "eval".into(), value: name, known: known() }
        }
        error => invalid(error.to_string()),
    })
}

fn boxed<G: Playable>(nnue: Nnue<G>) -> Box<dyn Evaluation<G>> {
    Box::new(nnue)
}

/// The shipped NNUE of that name. All players share its weights.
fn shipped<G: Playable>(name: &str) -> Option<Result<Box<dyn Evaluation<G>>, NetError>> {
    let file = G::SHIPPED_NNUE.iter().find(|file| file.name == name)?;
    let weights =
        SHIPPED.get_or_load(file.name.into(), || NnueWeights::from_bytes(file.bytes).map(Arc::new));
    Some(weights.and_then(|weights| Nnue::<G>::new(weights).map(boxed)))
}

/// The shipped networks in use.
static SHIPPED: SharedCache<String, Arc<NnueWeights>> = SharedCache::with_count(8);

//! Evaluations and networks of player lines, explained.

use tablero_core::{
    AnyGame, AnyPosition, Evaluation, Explanation, ForMover, Localized, LocalizedString, Playable,
    PlayerLine, PlayerLineError, PlayerSetup, level_line,
};
use tablero_nets::{GameNet, NetError, Weights};
use tablero_registry::{Explainable, Explainer};

use super::evaluations::evaluation;
use super::kinds::kinds;
use super::nets::network;
use crate::Extras;

/// The evaluation behind a line: that of its option `net` or `eval`, by default its player's.
pub(crate) fn explainer<G: Playable, E: Extras<G>>(
    line: &str,
    setup: &PlayerSetup,
) -> Result<Box<dyn Explainer>, PlayerLineError> {
    let line: PlayerLine = line.parse()?;
    let kinds = kinds::<G, E>();
    let kind = kinds.permit(&line, setup.permissions)?;
    if kind.name == "level" {
        return explainer::<G, E>(level_line(AnyGame::of::<G>(), &line)?, setup);
    }
    if let Some(evaluation) = E::evaluation(&line, setup) {
        return Ok(Box::new(Static(evaluation?)));
    }
    if let Some(net) = network::<G>(&line, setup)? {
        return Ok(Box::new(Net(net)));
    }
    if kind.options.iter().any(|option| option.name == "eval") {
        return Ok(Box::new(Static(evaluation::<G>(&line, setup)?)));
    }
    Err(PlayerLineError::Other(format!(
        "`{}` has no evaluation to explain; choose one with eval= or net=, as `greedy eval=NAME` or `puct \
         net=NAME`",
        line.kind
    )))
}

/// A network with these weights.
pub(crate) fn net_explainer<G: Playable>(
    weights: &Weights,
) -> Result<Box<dyn Explainer>, PlayerLineError> {
    let invalid = |error: NetError| PlayerLineError::Other(error.to_string());
    Ok(Box::new(Net::<G>(GameNet::new(weights).map_err(invalid)?)))
}

/// All shipped evaluations and networks, the default first.
pub(crate) fn explainable<G: Playable, E: Extras<G>>() -> Vec<Explainable> {
    let entry = |name: &str, player: String, about: LocalizedString| Explainable {
        name: name.into(),
        player,
        about,
    };
    let by_eval =
        |name: &str, about: Localized| entry(name, format!("greedy eval={name}"), about.into());
    let nnue = G::SHIPPED_NNUE.iter().map(|file| by_eval(file.name, NNUE));
    let kinds = G::evaluations().iter().map(|kind| by_eval(kind.name, kind.about));
    let genomes = G::SHIPPED_GENOMES.iter().map(|file| by_eval(file.name, GENOME));
    let nets = G::SHIPPED_NETS
        .iter()
        .map(|file| entry(file.name, format!("puct net={}", file.name), NET.into()));
    E::explainable().into_iter().chain(nnue).chain(kinds).chain(genomes).chain(nets).collect()
}

/// The description of a shipped NNUE.
pub(crate) const NNUE: Localized = Localized::new(
    "a network (NNUE) learned from games of this program",
    "una red (NNUE) aprendida de partidas de este programa",
);
const GENOME: Localized = Localized::new("evolved weights", "pesos evolucionados");
const NET: Localized = Localized::new("a policy and value network", "una red de política y valor");

/// A static evaluation.
struct Static<G>(Box<dyn Evaluation<G>>);

impl<G: Playable> Explainer for Static<G> {
    fn explain(&mut self, position: &AnyPosition) -> Explanation {
        let typed = position.downcast_ref();
        typed.map_or_else(|| Explanation::total(ForMover(0)), |position| self.0.explain(position))
    }
}

/// A network.
struct Net<G>(GameNet<G>);

impl<G: Playable> Explainer for Net<G> {
    fn explain(&mut self, position: &AnyPosition) -> Explanation {
        let typed = position.downcast_ref();
        typed.map_or_else(|| Explanation::total(ForMover(0)), |position| self.0.explain(position))
    }
}

//! Templates of plans, to be edited.

use tablero_core::Localized;
use tablero_registry::GameEntry;

use crate::ExperimentError;

/// A template of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: Localized,
    text: &'static str,
}

/// All templates.
pub const TEMPLATES: &[Template] = &[
    Template {
        name: "match",
        about: Localized::new(
            "two players, with a sequential test (SPRT)",
            "dos jugadores, con una prueba secuencial (SPRT)",
        ),
        text: include_str!("../../../experiments/templates/match.toml"),
    },
    Template {
        name: "evaluations",
        about: Localized::new(
            "all evaluations of the game in the same search",
            "todas las evaluaciones del juego en la misma búsqueda",
        ),
        text: include_str!("../../../experiments/templates/evaluations.toml"),
    },
    Template {
        name: "depth",
        about: Localized::new(
            "strength, nodes and time by search depth",
            "fuerza, nodos y tiempo según la profundidad",
        ),
        text: include_str!("../../../experiments/templates/depth.toml"),
    },
    Template {
        name: "networks",
        about: Localized::new(
            "a grid of networks and learning rates, and a tournament",
            "una rejilla de redes y tasas de aprendizaje, y un torneo",
        ),
        text: include_str!("../../../experiments/templates/networks.toml"),
    },
    Template {
        name: "evolution",
        about: Localized::new(
            "evolved weights against the hand-tuned ones",
            "pesos evolucionados contra los ajustados a mano",
        ),
        text: include_str!("../../../experiments/templates/evolution.toml"),
    },
];

/// The plan of a template for a game.
pub fn template(name: &str, entry: &dyn GameEntry) -> Result<String, ExperimentError> {
    let found = TEMPLATES.iter().find(|template| template.name == name);
    let template = found.ok_or_else(|| {
        let known: Vec<_> = TEMPLATES.iter().map(|template| template.name).collect();
        let (name, known) = (name.into(), known.join(", "));
        ExperimentError::UnknownTemplate { name, known }
    })?;
    let names: Vec<String> = entry.evaluations().into_iter().map(|known| known.name).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    // An NNUE is no genome.
    let genome = names.iter().find(|name| entry.evolution().genome_kind(name).is_ok());
    let genome = genome.map_or("", String::as_str);
    Ok(template
        .text
        .replace("@GAME@", entry.game().name())
        .replace("@EVALUATIONS@", &quoted.join(", "))
        .replace("@EVALUATION@", genome))
}

#[cfg(test)]
mod tests {
    use tablero_core::PlayerSetup;

    use super::*;
    use crate::Experiment;

    /// Every template is a valid plan of every game, and its players can be built.
    #[test]
    fn templates_fit_all_games() {
        tablero_registry::install(tablero_catalog::games());
        for entry in tablero_registry::games() {
            for known in TEMPLATES {
                let place = format!("{} {}", known.name, entry.game().name());
                let text = template(known.name, *entry).expect("known");
                let plan = Experiment::parse(&text).unwrap_or_else(|e| panic!("{place}: {e}"));
                plan.check(*entry).unwrap_or_else(|error| panic!("{place}: {error}"));
                let ids: Vec<String> = plan.file_ids().collect();
                for line in plan.lines(false) {
                    if !ids.iter().any(|id| line.contains(id)) {
                        let built = entry.build(&line, &PlayerSetup::LOCAL);
                        assert!(
                            built.is_ok(),
                            "{place}: {line}: {}",
                            built.err().expect("an error")
                        );
                    }
                }
            }
        }
        let chess = tablero_registry::find("chess").expect("there");
        let error = template("duel", chess).expect_err("unknown").to_string();
        assert!(error.contains("match, evaluations"), "{error}");
    }

    #[test]
    fn wrong_plans_are_explained() {
        tablero_registry::install(tablero_catalog::games());
        let entry = tablero_registry::find("tictactoe").expect("there");
        let text = template("match", entry).expect("known");
        for (from, to, part) in [
            ("id = \"match\"", "id = \"../match\"", "letters, digits"),
            ("name = \"new\"", "name = \"old\"", "occurs twice"),
            ("full = 2000", "full = 0", "`games` must be 1"),
            ("random=4", "tower", "tower"),
            ("sprt = [0.0, 10.0]", "sprt = [10.0, 0.0]", "E0 must be below E1"),
            ("[[matches]]", "[[matched]]", "matched"),
            ("seed = 1", "seed = ", "seed"),
        ] {
            let plan = Experiment::parse(&text.replace(from, to));
            let error = plan.and_then(|plan| plan.check(entry)).expect_err(to).to_string();
            assert!(error.contains(part), "{to}: {error}");
        }
    }
}

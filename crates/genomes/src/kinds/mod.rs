//! The genome kinds, one file each.

mod growing;
mod linear;
mod net;
mod policy;

use crate::{Evolvable, GenomeError, TypedGenomeKind};

/// The genome kinds of a game: its weighted evaluations, then the networks over features, then those that see
/// the raw board and rate moves.
///
/// ```
/// use tablero_genomes::kinds;
/// use tablero_tictactoe::TicTacToe;
///
/// let names: Vec<_> = kinds::<TicTacToe>().iter().map(|kind| kind.name()).collect();
/// assert!(names.ends_with(&["net", "growing", "fixed", "markers"]));
/// ```
pub fn kinds<G: Evolvable>() -> Vec<Box<dyn TypedGenomeKind<G>>> {
    let mut kinds: Vec<_> = G::evaluations().iter().map(linear::Linear::boxed).collect();
    if !G::FEATURES.is_empty() {
        kinds.extend([net::Net::boxed(), growing::Growing::boxed()]);
    }
    if policy::fits::<G>() {
        kinds.extend([policy::fixed::Fixed::boxed(), policy::markers::Markers::boxed()]);
    }
    kinds
}

/// The kind called `name`.
pub fn find_kind<G: Evolvable>(name: &str) -> Result<Box<dyn TypedGenomeKind<G>>, GenomeError> {
    let kinds = kinds::<G>();
    let known = kinds.iter().map(|kind| kind.name()).collect();
    let found = kinds.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| GenomeError::UnknownKind { game: G::NAME, kind: name.into(), known })
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_core::Rng;
    use tablero_othello::Othello;
    use tablero_shobu::Shobu;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    /// Mutation and crossover keep genomes valid, and their evaluations bounded.
    fn operators_keep_genomes_valid<G: Evolvable>() {
        let mut rng = Rng::seeded(3);
        let mut position = G::start(G::Rules::default());
        for _ in 0..4 {
            position.play(position.random_move(&mut rng).expect("a move"));
        }
        for kind in kinds::<G>() {
            let name = kind.name();
            assert!(!kind.about().en.is_empty());
            let mut parents = [kind.random(&mut rng), kind.random(&mut rng)];
            parents[0] = kind.hand_tuned().unwrap_or_else(|| parents[0].clone());
            for round in 0..300 {
                let crossed = kind.crossover(&parents[0], &parents[1], &mut rng);
                let child = kind.mutate(&crossed, 0.5, &mut rng);
                for genome in [&crossed, &child] {
                    assert_eq!(kind.check(genome), Ok(()), "{name}");
                    assert_eq!(kind.gene_names(genome).len(), genome.len(), "{name}");
                }
                let evaluation = kind.build(&child);
                let value = evaluation.evaluate(&position).0;
                assert!(value.abs() <= 1_000_000, "{name} {value}");
                let explanation = evaluation.explain(&position);
                let error = explanation.sum() - f64::from(value) / 100.0;
                assert!(error.abs() < 1e-6, "{name} {explanation:?}");
                let is_limit = |term: &tablero_core::Term| term.name == "limit";
                assert!(
                    value.abs() == 900_000 || !explanation.terms.iter().any(is_limit),
                    "{name}"
                );
                parents[round % 2] = child;
            }
            assert!(kind.check(&[f64::NAN; 7]).is_err(), "{name}");
            assert!(kind.check(&[]).is_err(), "{name}");
        }
    }

    #[test]
    fn genetic_operators_keep_genomes_valid() {
        operators_keep_genomes_valid::<TicTacToe>();
        operators_keep_genomes_valid::<Othello>();
        operators_keep_genomes_valid::<Chess>();
        operators_keep_genomes_valid::<Shobu>();
    }

    #[test]
    fn unknown_kinds_list_the_known_ones() {
        let error = find_kind::<Othello>("classic").err().expect("chess has it").to_string();
        assert!(error.contains("sci") && error.contains("growing"), "{error}");
    }
}

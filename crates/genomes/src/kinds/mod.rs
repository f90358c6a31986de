//! The kinds of genomes, one file each.

mod growing;
mod linear;
mod net;

use crate::{Genetic, GenomeError, Kind};

/// The kinds of genomes for a game: every evaluation with named weights, then the networks.
pub fn kinds<G: Genetic>() -> Vec<Box<dyn Kind<G>>> {
    let mut kinds: Vec<_> = G::evaluations().iter().map(linear::Linear::boxed).collect();
    if !G::FEATURES.is_empty() {
        kinds.extend([net::Net::boxed(), growing::Growing::boxed()]);
    }
    kinds
}

/// The kind called `name`.
pub fn find_kind<G: Genetic>(name: &str) -> Result<Box<dyn Kind<G>>, GenomeError> {
    let kinds = kinds::<G>();
    let known = kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let found = kinds.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| GenomeError::NoKind { game: G::NAME, kind: name.into(), known })
}

#[cfg(test)]
mod tests {
    use tablero_chess::Chess;
    use tablero_core::Rng;
    use tablero_othello::Othello;
    use tablero_shobu::Shobu;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    /// Whatever chance does to a genome, it stays one that can be built and judges every position;
    /// judging turned boards alike.
    fn stays_right<G: Genetic>() {
        let mut rng = Rng::seeded(3);
        let mut position = G::start(G::Rules::default());
        for _ in 0..4 {
            position.play(position.random_move(&mut rng).expect("a move"));
        }
        for kind in kinds::<G>() {
            let name = kind.name();
            assert!(!kind.about().is_empty());
            let mut parents = [kind.random(&mut rng), kind.random(&mut rng)];
            parents[0] = kind.by_hand().unwrap_or_else(|| parents[0].clone());
            for round in 0..300 {
                let crossed = kind.cross(&parents[0], &parents[1], &mut rng);
                let child = kind.mutate(&crossed, 0.5, &mut rng);
                for genome in [&crossed, &child] {
                    assert_eq!(kind.check(genome), Ok(()), "{name}");
                    assert_eq!(kind.names(genome).len(), genome.len(), "{name}");
                }
                let value = kind.build(&child).evaluate(&position).0;
                assert!(value.abs() <= 1_000_000, "{name} {value}");
                parents[round % 2] = child;
            }
            assert!(kind.check(&[f64::NAN; 7]).is_err(), "{name}");
            assert!(kind.check(&[]).is_err(), "{name}");
        }
    }

    #[test]
    fn chance_keeps_genomes_right() {
        stays_right::<TicTacToe>();
        stays_right::<Othello>();
        stays_right::<Chess>();
        stays_right::<Shobu>();
    }

    #[test]
    fn unknown_kinds_are_told_the_known_ones() {
        let error = find_kind::<Othello>("classic").err().expect("chess has it").to_string();
        assert!(error.contains("sci") && error.contains("growing"), "{error}");
    }
}

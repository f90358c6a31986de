//! Shipped weights.

use tablero_genomes::read_bytes;
use tablero_nets::nnue::NnueWeights;
use tablero_nets::{Network, Weights};

use crate::{assert_builds, error, game, games};

#[test]
fn shipped_networks_are_valid_and_have_provenance() {
    for &entry in games() {
        for net in entry.game().shipped_nets() {
            let weights = Weights::from_bytes(net.bytes).expect(net.name);
            let dims = entry.learning().spec().encoding;
            assert!(Network::new(&weights, &dims).is_ok(), "{}", net.name);
            assert!(weights.provenance.len() > 1, "{}: {:?}", net.name, weights.provenance);
            assert!(net.bytes.len() < 2 << 20, "{}", net.name);
            assert_builds(entry, &format!("puct sims=2 net={}", net.name));
        }
    }
    assert!(error(game("chess"), "puct net=othello-2x32", &crate::SANDBOXED).contains("not read"));
}

#[test]
fn shipped_nnue_are_valid_and_have_provenance() {
    for &entry in games() {
        for file in entry.game().shipped_nnue() {
            let weights = NnueWeights::from_bytes(file.bytes).expect(file.name);
            weights.check(&entry.learning().nnue_spec()).expect(file.name);
            assert!(weights.provenance.len() > 1, "{}: {:?}", file.name, weights.provenance);
            assert!(file.bytes.len() < 6 << 20, "{}", file.name);
            assert_builds(entry, &format!("alphabeta depth=2 eval={}", file.name));
        }
    }
}

#[test]
fn shipped_genomes_are_valid() {
    for &entry in games() {
        for file in entry.game().shipped_genomes() {
            let genomes = read_bytes(file.bytes.to_vec())
                .and_then(|genomes| genomes.for_game(entry.game().name()))
                .unwrap_or_else(|error| panic!("{}: {error}", file.name));
            let kind = entry.evolution().genome_kind(&genomes.kind).expect(file.name);
            let checked = genomes.validated_as(&*kind);
            assert!(checked.is_ok(), "{}: {}", file.name, checked.expect_err("wrong"));
            assert_builds(entry, &format!("alphabeta depth=1 eval={}", file.name));
        }
    }
}

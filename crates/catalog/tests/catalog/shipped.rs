//! What comes with the program.

use tablero_genomes::read_bytes;
use tablero_nets::{Network, Weights};

use crate::{assert_builds, error, game, games};

#[test]
fn networks_can_be_used_and_tell_their_past() {
    for &entry in games() {
        for net in entry.game().shipped_nets() {
            let weights = Weights::from_bytes(net.bytes).expect(net.name);
            let dims = entry.learning().spec().dims;
            assert!(Network::new(&weights, &dims).is_ok(), "{}", net.name);
            assert!(weights.past.len() > 1, "{}: {:?}", net.name, weights.past);
            assert!(net.bytes.len() < 2 << 20, "{}", net.name);
            assert_builds(entry, &format!("puct sims=2 net={}", net.name));
        }
    }
    assert!(error(game("chess"), "puct net=othello-2x32", &crate::CLOSED).contains("not read"));
}

#[test]
fn genomes_can_be_built() {
    for &entry in games() {
        for file in entry.game().shipped_genomes() {
            let genomes = read_bytes(file.bytes.to_vec())
                .and_then(|genomes| genomes.of_game(entry.game().name()))
                .unwrap_or_else(|error| panic!("{}: {error}", file.name));
            let kind = entry.evolution().genome_kind(&genomes.kind).expect(file.name);
            let checked = genomes.checked_as(&*kind);
            assert!(checked.is_ok(), "{}: {}", file.name, checked.expect_err("wrong"));
            assert_builds(entry, &format!("alphabeta depth=1 eval={}", file.name));
        }
    }
}

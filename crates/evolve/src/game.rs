use tablero_core::{AnyGame, AnyPlayer, AnyRecord, Evaluation, PlayerSetup};
use tablero_genomes::{Genetic, GenomeError, GenomeKind, find_kind};

/// What an evolution needs of a game. Implemented where games are listed, so that evolution itself is
/// compiled once.
pub trait EvolutionGame: Send + Sync {
    /// Which game.
    fn game(&self) -> AnyGame;

    /// The kinds of genomes that the game has.
    fn genome_kinds(&self) -> Vec<Box<dyn GenomeKind>>;

    /// The player of a line of greedy, minimax or alphabeta without `eval`, built by
    /// [`FITNESS_SETUP`], that evaluates positions by a genome, one that is checked first.
    ///
    /// For plain `minimax depth=N` of a small N this should be a player that chooses the same moves by
    /// a faster search: with that line most evolutions are played, hundreds of games a second.
    fn genome_player(
        &self,
        kind: &str,
        genome: &[f64],
        line: &str,
    ) -> Result<Box<AnyPlayer>, String>;

    /// The player of any line, built by [`FITNESS_SETUP`].
    fn player(&self, line: &str) -> Result<Box<AnyPlayer>, String>;

    /// Measures genomes by how well they predict the results of games; see
    /// [`TexelPredictor`](crate::TexelPredictor).
    fn result_predictor(
        &self,
        kind: &str,
        records: &[AnyRecord],
    ) -> Result<Box<dyn ResultPredictor>, String>;

    /// The kind of genomes called `name`.
    fn genome_kind(&self, name: &str) -> Result<Box<dyn GenomeKind>, GenomeError> {
        let kinds = self.genome_kinds();
        let known = || kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        let unknown =
            GenomeError::NoKind { game: self.game().name(), kind: name.into(), known: known() };
        kinds.into_iter().find(|kind| kind.name() == name).ok_or(unknown)
    }
}

/// How players of fitness games are built. A table large enough for tournaments would cost more to
/// clear before every game than it saves.
pub const FITNESS_SETUP: PlayerSetup = PlayerSetup { hash_mb: Some(1), ..PlayerSetup::LOCAL };

/// Measures genomes by how well they predict the results of games.
pub trait ResultPredictor: Sync {
    /// How good a genome is, one that its kind has checked: the more, the better.
    fn score(&self, genome: &[f64]) -> f64;
}

/// The evaluation that a genome of a game stands for, if it is one of that kind.
pub fn genome_evaluation<G: Genetic>(
    kind: &str,
    genome: &[f64],
) -> Result<Box<dyn Evaluation<G>>, String> {
    let kind = find_kind::<G>(kind).map_err(|error| error.to_string())?;
    kind.check(genome)?;
    Ok(kind.build(genome))
}

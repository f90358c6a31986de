use tablero_core::{Evaluation, GameType, Rng};

/// One number of a genome whose structure is fixed.
#[derive(Clone, PartialEq, Debug)]
pub struct Gene {
    /// What it weighs.
    pub name: String,
    /// The hand-set value, if there is one.
    pub by_hand: Option<f64>,
    /// The least that makes sense.
    pub min: f64,
    /// The most that makes sense.
    pub max: f64,
    /// How large a change is that matters: steps of evolution are in this unit.
    pub scale: f64,
}

/// A kind of genome that becomes an evaluation of game `G`.
pub trait Kind<G: GameType>: GenomeKind {
    /// The evaluation that a genome stands for, one that [`check`](GenomeKind::check) has found right.
    fn build(&self, genome: &[f64]) -> Box<dyn Evaluation<G>>;
}

/// A kind of genome: what its numbers mean and how they vary, whatever the game.
///
/// A kind with a fixed structure only says which [`genes`](Self::genes) it has; the rest follows. One
/// whose structure varies says the rest itself.
pub trait GenomeKind: Send + Sync {
    /// The name in files and on the command line.
    fn name(&self) -> &'static str;

    /// What it looks at, in a sentence.
    fn about(&self) -> &'static str;

    /// The numbers of a genome, if every genome of this kind has the same.
    fn genes(&self) -> Option<&[Gene]>;

    /// Says what is wrong with a genome that cannot be built.
    fn check(&self, genome: &[f64]) -> Result<(), String> {
        let genes = self.genes().unwrap_or_default();
        if genome.len() != genes.len() {
            return Err(format!(
                "it has {} numbers, {} needs {}",
                genome.len(),
                self.name(),
                genes.len()
            ));
        }
        let wrong = genome.iter().zip(genes).find(|(value, _)| !value.is_finite());
        wrong.map_or(Ok(()), |(value, gene)| Err(format!("{} is {value}", gene.name)))
    }

    /// What the numbers of a genome are called.
    fn names(&self, _genome: &[f64]) -> Vec<String> {
        self.genes().unwrap_or_default().iter().map(|gene| gene.name.clone()).collect()
    }

    /// The hand-set genome, if there is one.
    fn by_hand(&self) -> Option<Vec<f64>> {
        self.genes()?.iter().map(|gene| gene.by_hand).collect()
    }

    /// A genome to start from when nothing is known.
    fn random(&self, rng: &mut Rng) -> Vec<f64> {
        let genes = self.genes().unwrap_or_default();
        genes.iter().map(|gene| gene.clamp(gene.scale * rng.irwin_hall())).collect()
    }

    /// A genome that differs from `genome` by about `step`, in the scale of each gene.
    fn mutate(&self, genome: &[f64], step: f64, rng: &mut Rng) -> Vec<f64> {
        let genes = self.genes().unwrap_or_default().iter();
        let change =
            |(gene, value): (&Gene, &f64)| gene.clamp(value + step * gene.scale * rng.irwin_hall());
        genes.zip(genome).map(change).collect()
    }

    /// A child of two genomes: every number from either, or from in between.
    fn cross(&self, a: &[f64], b: &[f64], rng: &mut Rng) -> Vec<f64> {
        let blend = rng.below(2) == 0;
        let number = |(a, b): (&f64, &f64)| match rng.below(2) {
            _ if blend => (a + b) / 2.0,
            0 => *a,
            _ => *b,
        };
        a.iter().zip(b).map(number).collect()
    }
}

impl Gene {
    /// The nearest value that makes sense.
    pub fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min, self.max)
    }
}

//! The genome file format (`.genes`, TOML): genomes of one kind with provenance and measured strength.

use serde::{Deserialize, Serialize};
use tablero_core::{Location, excerpt};

use crate::{Evolvable, GenomeError, GenomeKind, InvalidGenome, TypedGenomeKind, find_kind};

/// The `format` key is `tablero-genomes VERSION`; the version changes with incompatible changes.
const FORMAT: &str = "tablero-genomes";
const VERSION: u32 = 1;

/// Genomes of one kind, with provenance and measured strength: the content of a file.
///
/// ```
/// use tablero_genomes::{Genomes, Individual, Provenance, find_kind};
/// use tablero_othello::Othello;
///
/// let kind = find_kind::<Othello>("sci")?;
/// let best = Individual { fitness: 0.5, genome: vec![50.0, -25.0, 1.0] };
/// let genomes = Genomes::new("othello", &*kind, Provenance::default(), best, Vec::new());
/// let read = Genomes::parse(&genomes.text())?.validated_as(&*kind)?;
/// assert_eq!(read, genomes);
/// # Ok::<(), tablero_genomes::GenomeError>(())
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genomes {
    /// Always `tablero-genomes 1`.
    format: String,
    /// The game.
    pub game: String,
    /// The genome kind.
    pub kind: String,
    /// A one-sentence description; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The gene names, if the kind has fixed genes. Genes are read by name, so a kind may reorder them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub genes: Vec<String>,
    /// How the genomes were evolved.
    pub provenance: Provenance,
    /// Match results of the best.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strength: Vec<Strength>,
    /// The best of all.
    pub best: Individual,
    /// The last population, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub population: Vec<Individual>,
}

/// A genome with its fitness.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Individual {
    /// Comparable only within one evolution.
    pub fitness: f64,
    /// The genome.
    pub genome: Vec<f64>,
}

/// How genomes were evolved.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provenance {
    /// The command; empty for files of other programs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The random seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The version of the program.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Number of generations, including those of the parents.
    pub generations: u64,
    /// Run time.
    pub seconds: f64,
    /// Files or commands of the initial population.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
}

/// A match result of the best individual.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strength {
    /// The command of the match.
    pub command: String,
    /// The opponent's player line.
    pub against: String,
    /// Number of games.
    pub games: u64,
    /// Score from 0 to 1.
    pub score: f64,
    /// Elo difference, if it is finite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// Half the width of its 95 % confidence interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo_error: Option<f64>,
}

impl Genomes {
    /// The genomes of an evolution.
    pub fn new(
        game: &str,
        kind: &dyn GenomeKind,
        provenance: Provenance,
        best: Individual,
        population: Vec<Individual>,
    ) -> Self {
        let genes = kind.genes().map(|_| kind.gene_names(&best.genome)).unwrap_or_default();
        Self::from_parts(game, kind.name(), genes, provenance, best, population)
    }

    pub(crate) fn from_parts(
        game: &str,
        kind: &str,
        genes: Vec<String>,
        provenance: Provenance,
        best: Individual,
        population: Vec<Individual>,
    ) -> Self {
        Self {
            format: format!("{FORMAT} {VERSION}"),
            game: game.into(),
            kind: kind.into(),
            about: String::new(),
            genes,
            provenance,
            strength: Vec::new(),
            best,
            population,
        }
    }

    /// Whether text claims to be of this format.
    pub(crate) fn has_format(text: &str) -> bool {
        text.contains(FORMAT)
    }

    /// Parses a file. The genomes still have to be [`validated`](Self::validated).
    pub fn parse(text: &str) -> Result<Self, GenomeError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
        }
        let wrong = |error: toml::de::Error| GenomeError::Syntax(syntax_error(text, &error));
        let Head { format } = toml::from_str(text).map_err(wrong)?;
        let version = format.strip_prefix(FORMAT).map(str::trim);
        match version.and_then(|version| version.parse().ok()) {
            Some(VERSION) => toml::from_str(text).map_err(wrong),
            Some(found @ 2u32..) => Err(GenomeError::NewerVersion { found, supported: VERSION }),
            _ => {
                Err(GenomeError::Format { found: format, expected: format!("{FORMAT} {VERSION}") })
            }
        }
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        // Plain data always serializes.
        let body = toml::to_string(self).expect("plain data");
        format!(
            "# Evaluations evolved by Tablero; `eval=FILE` in a player line uses the best.\n{body}"
        )
    }

    /// The kind of these genomes, and the genomes [validated](Self::validated_as) against it.
    pub fn validated<G: Evolvable>(
        self,
    ) -> Result<(Box<dyn TypedGenomeKind<G>>, Self), GenomeError> {
        let kind = find_kind::<G>(&self.kind);
        let of_game = self.for_game(G::NAME)?;
        let kind = kind?;
        let genomes = of_game.validated_as(&*kind)?;
        Ok((kind, genomes))
    }

    /// These genomes; an error if they are for another game.
    pub fn for_game(self, game: &str) -> Result<Self, GenomeError> {
        if self.game == game {
            return Ok(self);
        }
        Err(GenomeError::WrongGame { found: self.game, expected: game.into() })
    }

    /// The genomes with their genes in the order of the kind; an error if one is invalid.
    pub fn validated_as(mut self, kind: &dyn GenomeKind) -> Result<Self, GenomeError> {
        let order = self.order(kind)?;
        for (number, individual) in
            std::iter::once(&mut self.best).chain(&mut self.population).enumerate()
        {
            let invalid = |error: InvalidGenome| GenomeError::Individual { number, error };
            if !individual.fitness.is_finite() {
                return Err(invalid(InvalidGenome::Fitness { value: individual.fitness }));
            }
            if let Some(order) = &order {
                let numbers = &individual.genome;
                let (found, expected) = (numbers.len(), order.len());
                if found != expected {
                    let kind = self.kind.clone();
                    return Err(invalid(InvalidGenome::Length { kind, found, expected }));
                }
                individual.genome = order.iter().map(|&index| numbers[index]).collect();
            }
            kind.check(&individual.genome).map_err(invalid)?;
        }
        self.genes = if order.is_some() { kind.gene_names(&self.best.genome) } else { Vec::new() };
        Ok(self)
    }

    /// The index in the file of each gene; none for kinds without fixed genes.
    fn order(&self, kind: &dyn GenomeKind) -> Result<Option<Vec<usize>>, GenomeError> {
        let Some(genes) = kind.genes() else { return Ok(None) };
        let index = |name: &String| self.genes.iter().position(|gene| gene == name);
        let mut order = Vec::new();
        for gene in genes {
            let missing =
                || GenomeError::MissingGene { kind: self.kind.clone(), gene: gene.name.clone() };
            order.push(index(&gene.name).ok_or_else(missing)?);
        }
        if self.genes.len() != genes.len() {
            let unknown = |name: &&String| !genes.iter().any(|gene| gene.name == **name);
            let kind = self.kind.clone();
            return Err(match self.genes.iter().find(unknown) {
                Some(gene) => GenomeError::UnknownGene { kind, gene: gene.clone() },
                None => GenomeError::DuplicateGene { kind },
            });
        }
        Ok(Some(order))
    }

    /// An individual by name: `best`, or its number in the population, from 1.
    pub fn individual(&self, which: &str) -> Result<&Individual, GenomeError> {
        let count = self.population.len();
        let number = || which.parse::<usize>().ok()?.checked_sub(1);
        let found = match which {
            "best" => Some(&self.best),
            _ => number().and_then(|number| self.population.get(number)),
        };
        found.ok_or_else(|| GenomeError::UnknownIndividual { number: which.into(), count })
    }
}

/// The location and message of a TOML error, without the line itself, which may be long.
fn syntax_error(text: &str, error: &toml::de::Error) -> String {
    let message = excerpt(error.message().trim());
    match error.span() {
        Some(span) => format!("TOML: {}: {message}", Location::in_text(text, span.start)),
        None => format!("TOML: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use tablero_core::Rng;
    use tablero_othello::Othello;
    use tablero_tictactoe::TicTacToe;

    use super::*;

    fn example(kind: &str) -> Genomes {
        let kind = find_kind::<Othello>(kind).expect("a kind");
        let mut rng = Rng::seeded(4);
        let mut individual = || Individual { fitness: 1.25, genome: kind.random(&mut rng) };
        let (best, population) = (individual(), vec![individual(), individual()]);
        let provenance =
            Provenance { command: "tablero \"x\"".into(), seed: Some(3), ..Provenance::default() };
        Genomes::new("othello", &*kind, provenance, best, population)
    }

    #[test]
    fn files_round_trip_exactly() {
        for kind in ["sci", "iago", "net", "growing"] {
            let genomes = example(kind);
            let read = Genomes::parse(&genomes.text()).expect("readable");
            assert_eq!(read, genomes);
            let (_, checked) =
                read.validated::<Othello>().map_err(|e| e.to_string()).expect("right");
            assert_eq!(checked, genomes);
        }
    }

    #[test]
    fn genes_are_read_by_name() {
        let mut genomes = example("sci");
        let expected = genomes.clone();
        genomes.genes.swap(0, 2);
        for individual in std::iter::once(&mut genomes.best).chain(&mut genomes.population) {
            individual.genome.swap(0, 2);
        }
        assert_eq!(
            genomes.validated::<Othello>().map_err(|e| e.to_string()).expect("right").1,
            expected
        );
    }

    #[test]
    fn invalid_files_are_reported() {
        let text = example("sci").text();
        let error = |text: &str| {
            let read = Genomes::parse(text).and_then(|genomes| genomes.validated::<Othello>());
            read.err().expect("an error").to_string()
        };
        assert!(error(&text[..text.len() / 2]).contains("TOML"), "truncated");
        assert!(error(&text.replace("genomes 1", "genomes 2")).contains("newer"));
        assert!(error(&text.replace("genomes 1", "x")).contains("tablero-genomes 1"));
        assert!(error(&text.replace("\"x2\"", "\"x9\"")).contains("lacks the gene `x2`"));
        assert!(error(&text.replace("\"x2\"", "\"x2\", \"x9\"")).contains("no gene `x9`"));
        assert!(error(&text.replace("fitness = 1.25", "fitness = nan")).contains("fitness is NaN"));
        assert!(error(&text.replace("\"sci\"", "\"classic\"")).contains("no genomes of kind"));
        assert!(error("format = 3").contains("string"));
        let other = Genomes::parse(&text).expect("readable").validated::<TicTacToe>();
        assert_eq!(
            other.err().expect("another game").to_string(),
            "these genomes are for othello, not tictactoe"
        );
    }

    #[test]
    fn individuals_are_selected_by_number() {
        let genomes = example("sci");
        assert_eq!(genomes.individual("2").expect("there"), &genomes.population[1]);
        for wrong in ["0", "3", "x", ""] {
            assert!(genomes.individual(wrong).is_err(), "{wrong}");
        }
    }
}

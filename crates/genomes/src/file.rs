//! Our own format: a text file (TOML) that says what its genomes are, how they came about, and how
//! strong they were found to be.

use serde::{Deserialize, Serialize};

use crate::{Genetic, GenomeError, GenomeKind, Kind, find_kind};

/// The first words of a file; the number changes when old programs could no longer read it.
const FORMAT: &str = "tablero-genomes";
const VERSION: u32 = 1;

/// Genomes of one kind, with their past.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genomes {
    /// Always `tablero-genomes 1`.
    format: String,
    /// Which game they play.
    pub game: String,
    /// Which kind they are.
    pub kind: String,
    /// In a sentence; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// What the numbers are called, if all genomes of the kind have the same: they are read by name,
    /// so that a kind may change their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub genes: Vec<String>,
    /// How they came about.
    pub past: Past,
    /// How strong the best was found to be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strength: Vec<Strength>,
    /// The best of all.
    pub best: Individual,
    /// The last population, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub population: Vec<Individual>,
}

/// A genome and how well it did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Individual {
    /// As its evolution measured it; only comparable within it.
    pub fitness: f64,
    /// The genome.
    pub genome: Vec<f64>,
}

/// How genomes came about.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Past {
    /// The command that made them; empty if another program did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Where its randomness came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The version of the program.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// How many generations there were, those of the parents included.
    pub generations: u64,
    /// How long that took.
    pub seconds: f64,
    /// What they descend from: files, or `by hand`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
}

/// The result of a match of the best.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strength {
    /// The command that measured it.
    pub command: String,
    /// Whom it played.
    pub against: String,
    /// How many games.
    pub games: u64,
    /// Its share of the points, from 0 to 1.
    pub score: f64,
    /// The difference in rating, if it can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// Its error (95 %).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo_error: Option<f64>,
}

impl Genomes {
    /// Genomes of a game, the last population and the best of all.
    pub fn new(
        game: &str,
        kind: &dyn GenomeKind,
        past: Past,
        best: Individual,
        population: Vec<Individual>,
    ) -> Self {
        let genes = kind.genes().map(|_| kind.names(&best.genome)).unwrap_or_default();
        Self::of_parts(game, kind.name(), genes, past, best, population)
    }

    pub(crate) fn of_parts(
        game: &str,
        kind: &str,
        genes: Vec<String>,
        past: Past,
        best: Individual,
        population: Vec<Individual>,
    ) -> Self {
        Self {
            format: format!("{FORMAT} {VERSION}"),
            game: game.into(),
            kind: kind.into(),
            about: String::new(),
            genes,
            past,
            strength: Vec::new(),
            best,
            population,
        }
    }

    /// Whether text is of this format, right or wrong.
    pub(crate) fn recognises(text: &str) -> bool {
        text.contains(FORMAT)
    }

    /// Reads the text of a file. Whether the numbers make sense is for [`checked`](Self::checked).
    pub fn parse(text: &str) -> Result<Self, GenomeError> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
        }
        let wrong = |error: toml::de::Error| GenomeError::Content(error.to_string().trim().into());
        let Head { format } = toml::from_str(text).map_err(wrong)?;
        let version = format.strip_prefix(FORMAT).map(str::trim);
        match version.and_then(|version| version.parse().ok()) {
            Some(VERSION) => toml::from_str(text).map_err(wrong),
            Some(newer @ 2u32..) => Err(GenomeError::Content(format!(
                "it is of version {newer}, made by a newer program; this one reads version {VERSION}"
            ))),
            _ => Err(GenomeError::Content(format!(
                "its format is `{format}`, not `{FORMAT} {VERSION}`"
            ))),
        }
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        // Plain data always serialises.
        let body = toml::to_string(self).expect("plain data");
        format!(
            "# Evaluations evolved by Tablero: `eval=FILE` in a player line plays the best.\n{body}"
        )
    }

    /// The kind of these genomes, and the genomes [checked](Self::checked_as) against it.
    pub fn checked<G: Genetic>(self) -> Result<(Box<dyn Kind<G>>, Self), GenomeError> {
        let kind = find_kind::<G>(&self.kind);
        let of_game = self.of_game(G::NAME)?;
        let kind = kind?;
        let genomes = of_game.checked_as(&*kind)?;
        Ok((kind, genomes))
    }

    /// These genomes, if they are of that game.
    pub fn of_game(self, game: &str) -> Result<Self, GenomeError> {
        if self.game == game {
            return Ok(self);
        }
        Err(GenomeError::OtherGame { found: self.game, wanted: game.into() })
    }

    /// The genomes with their numbers in the order that their kind has, all of them checked; an error
    /// if they are damaged.
    pub fn checked_as(mut self, kind: &dyn GenomeKind) -> Result<Self, GenomeError> {
        let order = self.order(kind)?;
        for (place, individual) in
            std::iter::once(&mut self.best).chain(&mut self.population).enumerate()
        {
            let wrong = |problem: String| match place {
                0 => GenomeError::Content(format!("the best: {problem}")),
                _ => GenomeError::Content(format!("individual {place}: {problem}")),
            };
            if !individual.fitness.is_finite() {
                return Err(wrong(format!("its fitness is {}", individual.fitness)));
            }
            if let Some(order) = &order {
                let numbers = &individual.genome;
                if numbers.len() != order.len() {
                    let problem =
                        format!("it has {} numbers for {} genes", numbers.len(), order.len());
                    return Err(wrong(problem));
                }
                individual.genome = order.iter().map(|&place| numbers[place]).collect();
            }
            kind.check(&individual.genome).map_err(wrong)?;
        }
        self.genes = if order.is_some() { kind.names(&self.best.genome) } else { Vec::new() };
        Ok(self)
    }

    /// Where in the file each gene of a fixed kind is; none for kinds without fixed genes.
    fn order(&self, kind: &dyn GenomeKind) -> Result<Option<Vec<usize>>, GenomeError> {
        let Some(genes) = kind.genes() else { return Ok(None) };
        let place = |name: &String| self.genes.iter().position(|gene| gene == name);
        let mut order = Vec::new();
        for gene in genes {
            let missing =
                || GenomeError::Content(format!("{} lacks the gene `{}`", self.kind, gene.name));
            order.push(place(&gene.name).ok_or_else(missing)?);
        }
        if self.genes.len() != genes.len() {
            let unknown = |name: &&String| !genes.iter().any(|gene| gene.name == **name);
            let name = self.genes.iter().find(unknown).map_or("twice the same", String::as_str);
            return Err(GenomeError::Content(format!("{} has no gene `{name}`", self.kind)));
        }
        Ok(Some(order))
    }

    /// An individual: `best`, or its number in the population, from 1.
    pub fn individual(&self, which: &str) -> Result<&Individual, GenomeError> {
        let count = self.population.len();
        let number = || which.parse::<usize>().ok()?.checked_sub(1);
        let found = match which {
            "best" => Some(&self.best),
            _ => number().and_then(|number| self.population.get(number)),
        };
        found.ok_or_else(|| GenomeError::NoIndividual { number: which.into(), count })
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
        let past = Past { command: "tablero \"x\"".into(), seed: Some(3), ..Past::default() };
        Genomes::new("othello", &*kind, past, best, population)
    }

    #[test]
    fn files_come_back_to_the_last_bit() {
        for kind in ["sci", "iago", "net", "growing"] {
            let genomes = example(kind);
            let read = Genomes::parse(&genomes.text()).expect("readable");
            assert_eq!(read, genomes);
            let (_, checked) = read.checked::<Othello>().map_err(|e| e.to_string()).expect("right");
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
            genomes.checked::<Othello>().map_err(|e| e.to_string()).expect("right").1,
            expected
        );
    }

    #[test]
    fn damage_is_named() {
        let text = example("sci").text();
        let error = |text: &str| {
            let read = Genomes::parse(text).and_then(|genomes| genomes.checked::<Othello>());
            read.err().expect("an error").to_string()
        };
        assert!(error(&text[..text.len() / 2]).contains("TOML"), "cut in the middle");
        assert!(error(&text.replace("genomes 1", "genomes 2")).contains("newer"));
        assert!(error(&text.replace("genomes 1", "x")).contains("tablero-genomes 1"));
        assert!(error(&text.replace("\"x2\"", "\"x9\"")).contains("lacks the gene `x2`"));
        assert!(error(&text.replace("\"x2\"", "\"x2\", \"x9\"")).contains("no gene `x9`"));
        assert!(error(&text.replace("fitness = 1.25", "fitness = nan")).contains("fitness is NaN"));
        assert!(error(&text.replace("\"sci\"", "\"classic\"")).contains("no genomes of kind"));
        assert!(error("format = 3").contains("string"));
        let other = Genomes::parse(&text).expect("readable").checked::<TicTacToe>();
        assert_eq!(
            other.err().expect("another game").to_string(),
            "these genomes play othello, not tictactoe"
        );
    }

    #[test]
    fn individuals_have_numbers() {
        let genomes = example("sci");
        assert_eq!(genomes.individual("2").expect("there"), &genomes.population[1]);
        for wrong in ["0", "3", "x", ""] {
            assert!(genomes.individual(wrong).is_err(), "{wrong}");
        }
    }
}

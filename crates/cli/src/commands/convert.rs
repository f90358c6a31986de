use std::path::Path;

use anyhow::Context;
use clap::Args;
use tablero_catalog::{Catalogued, GameName, Input, for_document, for_game, open};
use tablero_core::Record;

use crate::files::{self, not_opened, read_input};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero convert games.ggf games.pgn
  tablero convert WTH_2004.wtb games.ggf
  tablero convert positions.epd - --to fen       to standard output
  tablero convert game.txt game.wtb              writes game.jou and game.trn with the names too
  tablero convert population.evl population.genes";

/// Formats of evolved genomes: Othello7's and ours.
const GENOMES: [&str; 2] = ["evl", "genes"];

/// Turns a file of one format into another of the same game. Formats that hold only positions get the
/// last position of each game. Populations of evolved evaluations (.evl, .genes) are converted
/// to each other.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    /// The file to read, or `-` for standard input.
    #[arg(value_name = "IN")]
    input: String,
    /// The file to write, or `-` for standard output.
    #[arg(value_name = "OUT")]
    output: String,
    /// The format to write [default: by the extension of OUT].
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// The format to read [default: recognised].
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// The game, if it cannot be told from the input.
    #[arg(long, value_name = "GAME")]
    game: Option<GameName>,
    /// Write only this game of a file with several.
    #[arg(long, value_name = "N")]
    number: Option<usize>,
}

impl Convert {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if self.is_of_genomes() {
            return self.convert_genomes();
        }
        let (bytes, path) = read_input(&self.input)?;
        let input = Input { bytes: &bytes, path };
        let (document, from) = open(&input, self.game, self.from.as_deref())
            .map_err(|error| not_opened(error, &self.input))?;
        for_document!(document, records => self.write(records, from))
    }

    fn write<G: Catalogued>(&self, records: Vec<Record<G>>, from: &str) -> anyhow::Result<()> {
        let records = self.chosen(records)?;
        if self.output == "-" {
            return self.print(&records);
        }
        let to = files::write_records(Path::new(&self.output), self.to.as_deref(), &records)?;
        let count = records.len();
        let noun = if count == 1 { "record" } else { "records" };
        out::note(format_args!("{count} {noun} of {}: {from} to {to}", G::NAME));
        Ok(())
    }

    /// Whether a population of evolved evaluations is meant, and not games.
    fn is_of_genomes(&self) -> bool {
        let named = |format: Option<String>| format.is_some_and(|f| GENOMES.contains(&f.as_str()));
        named(self.from.clone().or_else(|| extension(&self.input)))
            || named(self.to.clone().or_else(|| extension(&self.output)))
    }

    fn convert_genomes(&self) -> anyhow::Result<()> {
        let (bytes, _) = read_input(&self.input)?;
        let text = String::from_utf8(bytes).context("it is not text")?;
        let genomes = tablero_genomes::read_text(&text).with_context(|| self.input.clone())?;
        // Wrong numbers are said here, not when somebody plays.
        let game: GameName = genomes.game.parse().map_err(usage)?;
        let genomes = for_game!(game, G => genomes.checked::<G>().map(|(_, genomes)| genomes))?;
        let to = self.to.clone().or_else(|| extension(&self.output)).unwrap_or_default();
        let text = match to.as_str() {
            "evl" => tablero_genomes::evl::text(&genomes)?,
            "genes" => genomes.text(),
            other => {
                let known = GENOMES.join(", ");
                return Err(usage(format!(
                    "genomes cannot be written as `{other}`; there are {known}"
                )));
            }
        };
        if self.output == "-" {
            return out::bytes(text.as_bytes());
        }
        tablero_jobs::write_beside(Path::new(&self.output), text.as_bytes())?;
        let count = genomes.population.len();
        out::note(format_args!("{count} genomes of {} and the best: to {to}", genomes.kind));
        Ok(())
    }

    fn print<G: Catalogued>(&self, records: &[Record<G>]) -> anyhow::Result<()> {
        let format = files::format_for::<G>(Path::new(&self.output), self.to.as_deref())?;
        let outputs =
            (format.write)(records).with_context(|| format!("cannot write {}", format.name))?;
        let main = outputs.into_iter().find(|output| output.beside.is_none());
        out::bytes(&main.map(|output| output.bytes).unwrap_or_default())
    }

    fn chosen<G: Catalogued>(&self, mut records: Vec<Record<G>>) -> anyhow::Result<Vec<Record<G>>> {
        let Some(number) = self.number else {
            return Ok(records);
        };
        if !(1..=records.len()).contains(&number) {
            return Err(usage(format!("--number is 1 to {} here", records.len())));
        }
        Ok(vec![records.swap_remove(number - 1)])
    }
}

/// The extension of a path, in lower case.
fn extension(path: &str) -> Option<String> {
    Some(Path::new(path).extension()?.to_string_lossy().to_lowercase())
}

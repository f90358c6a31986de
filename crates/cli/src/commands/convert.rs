use std::path::Path;

use anyhow::Context;
use clap::Args;
use tablero_core::{AnyRecord, FileFormat, Input};
use tablero_genomes::Genomes;
use tablero_registry::{find, open};

use crate::args::GuessedGameArg;
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
    #[command(flatten)]
    game: GuessedGameArg,
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
        let (records, from) = open(&input, self.game.game(), self.from.as_deref())
            .map_err(|error| not_opened(error, &self.input))?;
        self.write(self.chosen(records)?, from)
    }

    fn write(&self, records: Vec<AnyRecord>, from: &str) -> anyhow::Result<()> {
        let Some(game) = records.first().map(|record| record.start.game()) else { return Ok(()) };
        let (path, to) = (Path::new(&self.output), self.to.as_deref());
        if self.output == "-" {
            return print(&files::format_for(game, path, to)?, &records);
        }
        let to = files::write_records(game, path, to, &records)?;
        let count = records.len();
        let noun = if count == 1 { "record" } else { "records" };
        out::note(format_args!("{count} {noun} of {game}: {from} to {to}"));
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
        let genomes = checked(genomes)?;
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

    fn chosen(&self, mut records: Vec<AnyRecord>) -> anyhow::Result<Vec<AnyRecord>> {
        let Some(number) = self.number else {
            return Ok(records);
        };
        if !(1..=records.len()).contains(&number) {
            return Err(usage(format!("--number is 1 to {} here", records.len())));
        }
        Ok(vec![records.swap_remove(number - 1)])
    }
}

/// The file itself, to standard output; what would stand beside it is left out.
fn print(format: &FileFormat, records: &[AnyRecord]) -> anyhow::Result<()> {
    let outputs =
        (format.write)(records).with_context(|| format!("cannot write {}", format.name))?;
    let main = outputs.into_iter().find(|output| output.beside.is_none());
    out::bytes(&main.map(|output| output.bytes).unwrap_or_default())
}

/// Wrong numbers are said here, not when somebody plays.
fn checked(genomes: Genomes) -> anyhow::Result<Genomes> {
    let evolution = find(&genomes.game).map_err(usage)?.evolution();
    let kind = evolution.genome_kind(&genomes.kind)?;
    Ok(genomes.of_game(evolution.game().name())?.checked_as(&*kind)?)
}

/// The extension of a path, in lower case.
fn extension(path: &str) -> Option<String> {
    Some(Path::new(path).extension()?.to_string_lossy().to_lowercase())
}

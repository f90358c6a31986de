use std::path::Path;

use anyhow::Context;
use clap::Args;
use tablero_core::{AnyRecord, FileFormat, Records};
use tablero_genomes::Genomes;
use tablero_nets::{NetFormat, Weights};
use tablero_registry::find;

use crate::args::{DetectedGameArg, StrictArg};
use crate::files::{self, open_input, read_input, select_game};
use crate::out::{self, usage};
use crate::output_file::ForceArg;

const EXAMPLES: &str = "Examples:
  tablero convert games.ggf games.pgn
  tablero convert WTH_2004.wtb games.ggf
  tablero convert positions.epd - --to fen       write to standard output
  tablero convert game.txt game.wtb              also writes the names to game.jou and game.trn
  tablero convert population.evl population.genes
  tablero convert red_otelo.h5 otelo.safetensors --game othello
  tablero convert my-run/best.safetensors best.onnx";

/// Formats of genomes: that of Othello7, and ours.
const GENOMES: [&str; 2] = ["evl", "genes"];

/// Convert between file formats of a game.
///
/// Formats that hold only positions get the final position of each game. Populations of evolved
/// evaluations (.evl, .genes) can be converted, too, and networks: .safetensors, .keras and .h5 (Keras, fully
/// connected networks), .onnx (read if its graph is that of such a network). `tablero games` lists the formats of
/// games.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    /// Input file, or `-` for standard input.
    #[arg(value_name = "IN")]
    input: String,
    /// Output file, or `-` for standard output.
    #[arg(value_name = "OUT")]
    output: String,
    /// Output format [default: by the extension of OUT].
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
    /// Input format [default: detected].
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    #[command(flatten)]
    game: DetectedGameArg,
    /// Convert only game number N of the file.
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    #[command(flatten)]
    strict: StrictArg,
    #[command(flatten)]
    force: ForceArg,
}

impl Convert {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if self.has_genomes() {
            return self.convert_genomes();
        }
        let format_of = |path: &str| NetFormat::of_extension(&extension(path)?);
        if let Some(format) =
            self.to.as_deref().map_or_else(|| format_of(&self.output), NetFormat::of_extension)
        {
            return self.convert_network(format);
        }
        let (game, from) = (self.game.game(), self.from.as_deref());
        let (records, from) = open_input(&self.input, game, from, self.strict.strict)?;
        self.write(self.select(records)?, from)
    }

    fn write(&self, records: Vec<AnyRecord>, from: &str) -> anyhow::Result<()> {
        let Some(game) = records.first().map(|record| record.start.game()) else { return Ok(()) };
        let (path, to) = (Path::new(&self.output), self.to.as_deref());
        if self.output == "-" {
            return print(&files::format_for(game, path, to)?, &records);
        }
        let to = files::write_records(game, path, to, &records, self.force)?;
        let count = records.len();
        let noun = if count == 1 { "record" } else { "records" };
        out::note(format_args!("{count} {noun} of {game}: {from} to {to}"));
        Ok(())
    }

    /// Whether the files hold genomes instead of games.
    fn has_genomes(&self) -> bool {
        let named = |format: Option<String>| format.is_some_and(|f| GENOMES.contains(&f.as_str()));
        named(self.from.clone().or_else(|| extension(&self.input)))
            || named(self.to.clone().or_else(|| extension(&self.output)))
    }

    fn convert_genomes(&self) -> anyhow::Result<()> {
        let (bytes, _) = read_input(&self.input)?;
        let genomes = tablero_genomes::read_bytes(bytes).with_context(|| self.input.clone())?;
        let genomes = checked(genomes)?;
        let to = self.to.clone().or_else(|| extension(&self.output)).unwrap_or_default();
        let text = match to.as_str() {
            "evl" => tablero_genomes::evl::text(&genomes)?,
            "genes" => genomes.text(),
            other => {
                let known = GENOMES.join(", ");
                return Err(usage(format!(
                    "genomes cannot be written as `{other}`; known formats are {known}"
                )));
            }
        };
        if self.output == "-" {
            return out::bytes(text.as_bytes());
        }
        self.force.write(Path::new(&self.output), text.as_bytes())?;
        let count = genomes.population.len();
        out::note(format_args!("{count} genomes of {}, written as {to}", genomes.kind));
        Ok(())
    }

    fn convert_network(&self, format: NetFormat) -> anyhow::Result<()> {
        let path = Path::new(&self.input);
        let game = match self.game.game() {
            Some(game) => game.name().to_owned(),
            // Only our own files tell the game.
            None => Weights::read(path).context("name the network's game with --game")?.game,
        };
        let spec = find(&game).map_err(usage)?.learning().spec().encoding;
        let weights = Weights::read_any(path, &spec)?;
        let bytes = weights.to_format(format, &spec)?;
        if self.output == "-" {
            return out::bytes(&bytes);
        }
        self.force.write(Path::new(&self.output), &bytes)?;
        let format = format.extension();
        out::note(format_args!("{} for {game}, written as {format}", weights.kind));
        Ok(())
    }

    fn select(&self, records: Records) -> anyhow::Result<Vec<AnyRecord>> {
        match self.number {
            None => Ok(records.into_vec()),
            number => Ok(vec![select_game(&records, number)?.1.clone()]),
        }
    }
}

/// Writes the main file to standard output, without companion files.
fn print(format: &FileFormat, records: &[AnyRecord]) -> anyhow::Result<()> {
    let outputs =
        (format.write)(records).with_context(|| format!("cannot write {}", format.name))?;
    let main = outputs.into_iter().find(|output| output.companion.is_none());
    out::bytes(&main.map(|output| output.bytes).unwrap_or_default())
}

/// Validates genomes against their kind.
fn checked(genomes: Genomes) -> anyhow::Result<Genomes> {
    let evolution = find(&genomes.game).map_err(usage)?.evolution();
    let kind = evolution.genome_kind(&genomes.kind)?;
    Ok(genomes.for_game(evolution.game().name())?.validated_as(&*kind)?)
}

/// The extension of a path in lower case.
fn extension(path: &str) -> Option<String> {
    Some(Path::new(path).extension()?.to_string_lossy().to_lowercase())
}

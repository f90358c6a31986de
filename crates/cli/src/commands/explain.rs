use clap::Args;
use serde::Serialize;
use tablero_core::{AnyPosition, Explanation, PlayerSetup, Term, ValueUnit};
use tablero_registry::{Explained, ExplanationSummary, GameEntry};

use crate::args::{self, GameArg};
use crate::draw::{self, Marks};
use crate::out::{self, usage};

const EXAMPLES: &str = "Examples:
  tablero explain othello \"start moves f5 d6 c3\" --eval jma
  tablero explain othello \"start moves f5 d6 c3\" --eval patterns --term \"edge + 2X a1-g2\"
  tablero explain chess \"r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq -\" --eval classic
  tablero explain shobu start --player \"alphabeta depth=4 eval=pressure\" --json
  tablero explain othello \"---------------------------OX------XO--------------------------- X\" --net run/best.safetensors
  tablero explain chess --list            the evaluations of a game";

/// Show the evaluation of a position term by term: features, weights, contributions.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    #[command(flatten)]
    game: GameArg,
    /// `start` or a position, optionally followed by `moves` and a list of moves.
    #[arg(
        value_name = "POSITION",
        allow_hyphen_values = true,
        value_parser = args::position,
        required_unless_present = "list"
    )]
    position: Option<String>,
    /// Evaluation: a name (see --list), a file of evolved genomes, or a .nnue file [default: the first of
    /// --list].
    #[arg(long, value_name = "NAME|FILE", group = "what")]
    eval: Option<String>,
    /// Policy and value network: a name or a file.
    #[arg(long, value_name = "NAME|FILE", group = "what")]
    net: Option<String>,
    /// Player whose evaluation is explained (see `tablero players`).
    #[arg(long, value_name = "PLAYER", group = "what")]
    player: Option<String>,
    /// List the evaluations and networks that ship with the program.
    #[arg(long, conflicts_with_all = ["position", "what"])]
    list: bool,
    /// Mark the squares of this term on the board.
    #[arg(long, value_name = "NAME")]
    term: Option<String>,
    /// Print all terms [default: the 20 that contribute most].
    #[arg(long)]
    all: bool,
    /// Rules variant (see `tablero games`) [default: the standard rules].
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Terms that are printed without `--all`.
const SHOWN: usize = 20;
/// Moves of a policy that are printed.
const SHOWN_MOVES: usize = 8;

impl Explain {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let entry = self.game.game;
        let Some(text) = self.position.as_deref().filter(|_| !self.list) else {
            return self.print_list(entry);
        };
        let game = args::parse_history(entry.game(), text, self.rules.as_deref())?;
        let position = game.position();
        if position.outcome().is_some() {
            return Err(usage("the game is over: there is nothing to evaluate".to_owned()));
        }
        let player = self.explained().line(entry).map_err(usage)?;
        let mut explainer = entry.explainer(&player, &PlayerSetup::LOCAL).map_err(usage)?;
        let explanation = explainer.explain(position);
        let marked = self.marked(&explanation)?;
        if self.json {
            out::json(&ExplanationSummary::new(&player, position, &explanation));
        } else {
            let marks = Marks { last: marked, legal: Vec::new() };
            out::line(draw::board(position, &marks, &[], false));
            self.print(&player, position, &explanation);
        }
        Ok(())
    }

    /// What the options ask for; at most one of them is given.
    fn explained(&self) -> Explained<'_> {
        match (&self.player, &self.eval, &self.net) {
            (Some(player), ..) => Explained::Player(player),
            (_, Some(name), _) => Explained::Evaluation(name),
            (.., Some(name)) => Explained::Net(name),
            _ => Explained::Default,
        }
    }

    /// The cells of `--term`.
    fn marked(&self, explanation: &Explanation) -> anyhow::Result<Vec<usize>> {
        let Some(name) = &self.term else { return Ok(Vec::new()) };
        let named = |term: &&Term| term.name == *name;
        let term = explanation.terms.iter().find(named).ok_or_else(|| {
            let known: Vec<&str> =
                explanation.terms.iter().map(|term| term.name.as_str()).collect();
            usage(format!("there is no term `{name}`; there are {}", known.join(", ")))
        })?;
        Ok(term.cells.iter().map(|cell| cell.cell).collect())
    }

    fn print_list(&self, entry: &dyn GameEntry) -> anyhow::Result<()> {
        #[derive(Serialize)]
        struct Listed<'a> {
            name: &'a str,
            player: &'a str,
            about: &'a str,
        }
        for known in entry.explainable() {
            if self.json {
                let (name, player, about) = (&known.name, &known.player, &known.about.en);
                out::json(&Listed { name, player, about });
            } else {
                out::line(format_args!("{:<24}  {}", known.name, known.about));
            }
        }
        Ok(())
    }

    fn print(&self, player: &str, position: &AnyPosition, explanation: &Explanation) {
        let (bold, dim) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
        let unit = match explanation.unit {
            ValueUnit::Points => position.game().unit(),
            ValueUnit::Result => "(-1 lost, 1 won)",
        };
        let mover = position.info().sides[position.side().index()];
        out::line(format_args!(
            "{player}: {bold}{:+.2}{bold:#} {unit} for {mover}",
            explanation.value
        ));
        for fact in &explanation.facts {
            out::line(format_args!("{dim}{fact}{dim:#}"));
        }
        let mut terms: Vec<&Term> = explanation.terms.iter().collect();
        let size = |term: &Term| term.contribution.abs();
        // What is left over comes last.
        let is_rest = |term: &Term| matches!(term.name.as_str(), "rest" | "rounding" | "limit");
        terms.sort_by(|a, b| is_rest(a).cmp(&is_rest(b)).then(size(b).total_cmp(&size(a))));
        let shown = if self.all { terms.len() } else { SHOWN.min(terms.len()) };
        let width = terms[..shown].iter().map(|term| term.name.chars().count()).max().unwrap_or(0);
        let width = width.max("term".len());
        out::line(format_args!(
            "\n{dim}{:<width$}  {:>9}  {:>9}  {:>12}{dim:#}",
            "term", "value", "weight", "contribution"
        ));
        for term in &terms[..shown] {
            let Term { name, about, value, weight, contribution, .. } = term;
            out::line(format_args!(
                "{name:<width$}  {:>9}  {:>9}  {bold}{:>+12.2}{bold:#}  {dim}{about}{dim:#}",
                short(*value),
                short(*weight),
                contribution
            ));
        }
        if shown < terms.len() {
            let rest: f64 = terms[shown..].iter().map(|term| term.contribution).sum();
            out::line(format_args!(
                "{dim}{} more terms, together {rest:+.2}: print them with --all{dim:#}",
                terms.len() - shown
            ));
        }
        out::line(format_args!(
            "{:<width$}  {:>9}  {:>9}  {bold}{:>+12.2}{bold:#}",
            "sum",
            "",
            "",
            explanation.sum()
        ));
        if let Some(network) = &explanation.network
            && !network.policy.is_empty()
        {
            out::line(format_args!("\n{dim}policy{dim:#}"));
            for rated in network.policy.iter().take(SHOWN_MOVES) {
                out::line(format_args!("{:<8} {:>7.3}", rated.label, rated.rating));
            }
        }
    }
}

/// A number with two decimals, unless it is an integer.
fn short(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { format!("{number:.3}") }
}

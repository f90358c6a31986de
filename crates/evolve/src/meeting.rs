//! Games between genomes, as tasks.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use tablero_arena::{Conditions, play_game};
use tablero_catalog::Catalogued;
use tablero_catalog::players::{PlayerLine, Setup, build, build_judging};
use tablero_core::{Match, Player, Rng, Rules, pgn};
use tablero_genomes::find_kind;
use tablero_jobs::Work;
use tablero_search::lean::Lean;

/// Who plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contestant {
    /// A genome of the task's kind.
    Genome(Vec<f64>),
    /// Anybody, by a player line.
    Line(String),
}

/// The task of playing one or two games from an opening.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MeetingTask {
    /// Which game.
    pub game: String,
    /// By which rules.
    pub rules: Option<String>,
    /// The kind of the genomes.
    pub kind: String,
    /// How genomes play.
    pub player: String,
    /// The two; the first begins the first game.
    pub contestants: [Contestant; 2],
    /// The opening, a game as text; empty for the start.
    pub opening: String,
    /// Play a second game with colours swapped.
    pub both_colours: bool,
    /// A game is drawn after so many plies.
    pub max_plies: Option<usize>,
    /// Where whatever is random comes from.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MeetingOutput {
    /// By how much the first contestant won each game.
    pub margins: Vec<i16>,
    /// Positions looked at.
    pub nodes: u64,
}

/// Plays meetings of game `G`.
pub struct MeetingWork<G>(PhantomData<fn() -> G>);

impl<G> Default for MeetingWork<G> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl MeetingOutput {
    /// The points of the first contestant: 1 for a win, 1/2 for a draw.
    pub fn points(&self) -> f64 {
        self.margins.iter().map(|margin| f64::from(1 + margin.signum()) / 2.0).sum()
    }
}

impl<G: Catalogued> Work for MeetingWork<G> {
    const KIND: &'static str = "meeting";
    type Task = MeetingTask;
    type Output = MeetingOutput;

    fn run(&self, task: &MeetingTask) -> Result<MeetingOutput, String> {
        if task.game != G::NAME {
            return Err(format!("a meeting of {} cannot be played as {}", task.game, G::NAME));
        }
        let start = opening::<G>(task)?;
        let players = [make_player::<G>(task, 0)?, make_player::<G>(task, 1)?];
        let [mut first, mut second] = players;
        let conditions =
            Conditions { max_plies: task.max_plies, keep_times: false, ..Conditions::default() };
        let mut output = MeetingOutput { margins: Vec::new(), nodes: 0 };
        for game in 0..1 + u64::from(task.both_colours) {
            first.new_game(Rng::for_part(task.seed, 2 * game).bits());
            second.new_game(Rng::for_part(task.seed, 2 * game + 1).bits());
            let swapped = game == 1;
            let seats: [&mut dyn Player<G>; 2] =
                if swapped { [&mut *second, &mut *first] } else { [&mut *first, &mut *second] };
            let played = play_game(start.clone(), seats, &conditions);
            if let Some(fault) = played.fault {
                return Err(format!("a player failed: {fault}"));
            }
            let end = played.record.end.ok_or("a game without an end")?;
            let margin = end.outcome.margin().0;
            output.margins.push(if swapped { -margin } else { margin });
            output.nodes += played.nodes.iter().sum::<u64>();
        }
        Ok(output)
    }
}

fn opening<G: Catalogued>(task: &MeetingTask) -> Result<Match<G>, String> {
    if !task.opening.is_empty() {
        let record = pgn::read_one::<G>(&task.opening).map_err(|error| error.to_string())?;
        return record.replay().map_err(|(ply, error)| format!("opening, ply {ply}: {error}"));
    }
    let rules = task.rules.as_deref().map_or(Some(G::Rules::default()), G::Rules::from_name);
    Ok(Match::new(G::start(rules.ok_or("unknown rules")?)))
}

fn make_player<G: Catalogued>(
    task: &MeetingTask,
    seat: usize,
) -> Result<Box<dyn Player<G>>, String> {
    // A table for a whole game is filled in a moment and would cost more to clear than it saves.
    let setup = Setup { hash_mb: Some(1), ..Setup::default() };
    let genome = match &task.contestants[seat] {
        Contestant::Line(line) => {
            return build::<G>(line, &setup).map_err(|error| error.to_string());
        }
        Contestant::Genome(genome) => genome,
    };
    let kind = find_kind::<G>(&task.kind).map_err(|error| error.to_string())?;
    kind.check(genome)?;
    let evaluation = kind.build(genome);
    if let Some(depth) = plain_depth(&task.player) {
        return Ok(Box::new(Lean::new(depth, evaluation)));
    }
    build_judging::<G>(&task.player, &setup, evaluation).map_err(|error| error.to_string())
}

/// The depth of a line that asks for plain minimax, whose quick twin plays the same moves.
fn plain_depth(line: &str) -> Option<u32> {
    const DEEPEST: u32 = 8;
    let line: PlayerLine = line.parse().ok().filter(|line: &PlayerLine| line.kind == "minimax")?;
    let [(name, depth)] = &line.options[..] else { return None };
    depth.parse().ok().filter(|depth| name == "depth" && *depth <= DEEPEST)
}

#[cfg(test)]
mod tests {
    use tablero_othello::Othello;

    use super::*;

    fn task(player: &str) -> MeetingTask {
        MeetingTask {
            game: "othello".into(),
            rules: None,
            kind: "sci".into(),
            player: player.into(),
            contestants: [
                Contestant::Genome(vec![50.0, -25.0, 1.0]),
                Contestant::Genome(vec![4.797, -0.453, 1.503]),
            ],
            opening: String::new(),
            both_colours: true,
            max_plies: None,
            seed: 1,
        }
    }

    #[test]
    fn the_quick_twin_plays_the_games_of_minimax() {
        let work = MeetingWork::<Othello>::default();
        let quick = work.run(&task("minimax depth=3")).expect("two games");
        // Said in another way, it is minimax itself that plays.
        let slow = work.run(&task("minimax depth=3 drop=0")).expect("two games");
        assert_eq!(quick.margins, slow.margins);
        assert!(quick.nodes < slow.nodes);
        assert_eq!(quick.margins.len(), 2);
    }

    #[test]
    fn colours_are_swapped() {
        let mut alone = task("minimax depth=1");
        alone.contestants[1] = Contestant::Line("random".into());
        let one = MeetingTask { both_colours: false, ..alone.clone() };
        let work = MeetingWork::<Othello>::default();
        let (both, one) = (work.run(&alone).expect("two"), work.run(&one).expect("one"));
        assert_eq!(both.margins[0], one.margins[0]);
        assert_eq!(one.margins.len(), 1);
        let points = MeetingOutput { margins: vec![3, 0, -1], nodes: 0 }.points();
        assert_eq!(points, 1.5);
    }

    #[test]
    fn wrong_tasks_are_refused() {
        let work = MeetingWork::<Othello>::default();
        let error = |task: MeetingTask| work.run(&task).expect_err("wrong");
        assert!(error(MeetingTask { game: "chess".into(), ..task("greedy") }).contains("chess"));
        assert!(error(MeetingTask { kind: "x".into(), ..task("greedy") }).contains("kind"));
        assert!(error(MeetingTask { kind: "jma".into(), ..task("greedy") }).contains("3 numbers"));
        assert!(error(task("mcts")).contains("minimax"));
        assert!(error(task("minimax depth=x")).contains("depth"));
    }
}

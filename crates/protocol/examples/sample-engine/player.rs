//! A small player for tests: flat Monte Carlo, one random game from each move a round.

use std::time::{Duration, Instant};

use tablero_core::{
    AnyChoice, AnyControl, AnyGame, AnyInfo, AnyMatch, AnyMove, AnyPosition, ForMover, Limits,
    Line, Player, PlayerError, Rng, Value, random_playout,
};
use tablero_protocol::{Engine, Setup};

struct Sampler {
    lines: usize,
    rng: Rng,
}

/// An engine that plays so.
pub(crate) fn engine(game: AnyGame) -> Engine<'static> {
    Engine {
        game,
        name: "Sampler 1".into(),
        make: Box::new(|setup| {
            if setup.hash_mb == 13 {
                return Err("13 MB bring bad luck".into());
            }
            Ok(Box::new(Sampler { lines: setup.lines, rng: Rng::seeded(1) }))
        }),
        setup: Setup::default(),
        elo: Some(500..=1500),
        pace: Limits { depth: Some(2), ..Limits::default() },
        seed: 1,
    }
}

impl Player<AnyPosition> for Sampler {
    fn choose(
        &mut self,
        game: &AnyMatch,
        limits: &Limits,
        control: &mut AnyControl<'_>,
    ) -> Result<AnyChoice, PlayerError> {
        let position = game.position();
        let moves = control.only().map_or_else(|| position.moves(), <[_]>::to_vec);
        let mut sums = vec![0.0; moves.len()];
        let start = Instant::now();
        let clock = limits.clock.map(|clock| clock.left / 20);
        let time = [limits.time, clock].into_iter().flatten().min();
        let mut info = AnyInfo::default();
        for round in 1.. {
            for (&m, sum) in moves.iter().zip(&mut sums) {
                let end = position.after(m);
                let (outcome, _) = random_playout(end, 60, &mut self.rng);
                *sum += f64::from(outcome.margin().for_mover(position.side()).0.signum());
            }
            info.depth = round;
            info.deepest = round;
            info.nodes += moves.len() as u64;
            info.time = start.elapsed();
            info.lines = self.best(position, &moves, &sums, round);
            control.report(&info);
            let is_done = limits.depth.is_some_and(|depth| round >= depth)
                || limits.nodes.is_some_and(|nodes| info.nodes >= nodes)
                || time.is_some_and(|time| start.elapsed() >= time);
            if is_done || control.stopped() {
                break;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        let m = info.lines.first().ok_or(PlayerError::GameOver)?.moves[0];
        Ok(AnyChoice { m, info })
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::seeded(seed);
    }
}

impl Sampler {
    fn best(
        &self,
        position: &AnyPosition,
        moves: &[AnyMove],
        sums: &[f64],
        rounds: u32,
    ) -> Vec<Line<AnyPosition>> {
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
        let line = |&index: &usize| {
            let reply = position.after(moves[index]).moves().first().copied();
            Line {
                value: ForMover(Value::Hundredths(
                    (100.0 * sums[index] / f64::from(rounds)) as i32,
                )),
                moves: [moves[index]].into_iter().chain(reply).collect(),
            }
        };
        order.iter().take(self.lines).map(line).collect()
    }
}

//! A small player for tests: flat Monte Carlo, one random playout per move and round.

use std::time::{Duration, Instant};

use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyMove, AnyPosition, AnySearchResult, ForMover,
    Limits, Player, PlayerError, Pv, Rng, Value, random_playout,
};
use tablero_protocol::{Engine, EngineSettings};

struct Sampler {
    multipv: usize,
    rng: Rng,
}

/// An engine with this player.
pub(crate) fn engine(game: AnyGame) -> Engine<'static> {
    Engine {
        game,
        name: "Sampler 1".into(),
        make_player: Box::new(|settings| {
            if settings.hash_mb == 13 {
                return Err("13 MB are not supported".into());
            }
            Ok(Box::new(Sampler { multipv: settings.multipv, rng: Rng::seeded(1) }))
        }),
        settings: EngineSettings::default(),
        elo: Some(500..=1500),
        default_limits: Limits { depth: Some(2), ..Limits::default() },
        seed: 1,
    }
}

impl Player<AnyPosition> for Sampler {
    fn choose(
        &mut self,
        game: &AnyGameHistory,
        limits: &Limits,
        control: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, PlayerError> {
        let position = game.position();
        let moves = control.searchmoves().map_or_else(|| position.moves(), <[_]>::to_vec);
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
            info.seldepth = round;
            info.nodes += moves.len() as u64;
            info.time = start.elapsed();
            info.lines = self.best(position, &moves, &sums, round);
            control.report(&info);
            let is_done = limits.depth.is_some_and(|depth| round >= depth)
                || limits.nodes.is_some_and(|nodes| info.nodes >= nodes)
                || time.is_some_and(|time| start.elapsed() >= time);
            if is_done || control.is_stopped() {
                break;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        let m = info.lines.first().ok_or(PlayerError::GameOver)?.moves[0];
        Ok(AnySearchResult { m, info })
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
    ) -> Vec<Pv<AnyPosition>> {
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]));
        let line = |&index: &usize| {
            let reply = position.after(moves[index]).moves().first().copied();
            Pv {
                value: ForMover(Value::Centi((100.0 * sums[index] / f64::from(rounds)) as i32)),
                moves: [moves[index]].into_iter().chain(reply).collect(),
            }
        };
        order.iter().take(self.multipv).map(line).collect()
    }
}

//! Two players compared along a game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tablero_core::{AnyRecord, Limits};
use tablero_registry::GameEntry;
use tablero_review::{Choice, ComparedPosition, Comparer};

use crate::analysis::{REVIEW_HASH_MB, Reporter, check_limit};
use crate::api::{
    ComparedChoice, ComparedMove, ComparisonView, JudgedMoves, Problem, ServerMessage,
};
use crate::app::App;
use crate::error::ApiResult;
use crate::games::{record_of, score};
use crate::players::{PlayerFactory, PlayerPool, move_names};
use crate::review::main_line;
use crate::search_pool::StopHandle;

/// The judge has more time per move than the players.
const JUDGE_FACTOR: u32 = 4;
/// Default time per move of the players.
const COMPARE_MOVE_MS: u64 = 200;

/// [`ClientMessage::Compare`](crate::api::ClientMessage::Compare).
pub(crate) struct CompareRequest {
    pub(crate) request: u32,
    pub(crate) game: String,
    pub(crate) players: [String; 2],
    pub(crate) judge: Option<String>,
    pub(crate) move_ms: Option<u64>,
}

/// A comparison along a game's main line, ready to run.
struct CompareTask {
    entry: &'static dyn GameEntry,
    record: AnyRecord,
    /// The nodes of the main line, the root included.
    nodes: Vec<u32>,
    players: [String; 2],
    judge: String,
    factory: PlayerFactory,
    pool: Arc<PlayerPool>,
    limits: Limits,
    judge_limits: Limits,
}

impl CompareTask {
    /// Runs the comparison; `None` if `stop` was set.
    fn run(
        &self,
        stop: &AtomicBool,
        report: &mut dyn FnMut(usize, usize),
    ) -> Result<Option<ComparisonView>, Problem> {
        let acquire = |line: &str| {
            self.factory.resolve(self.entry, line).and_then(|spec| self.pool.acquire(None, spec))
        };
        let (mut first, mut second) = (acquire(&self.players[0])?, acquire(&self.players[1])?);
        let mut judge = acquire(&self.judge)?;
        let mut comparer = Comparer::new([first.player(), second.player()], [self.limits; 2]);
        comparer = comparer.with_judge(judge.player(), self.judge_limits).with_stop(stop);
        let progress = |progress: tablero_review::Progress| {
            report(progress.done, progress.total);
            !stop.load(Ordering::Relaxed)
        };
        let comparison = comparer.compare(&self.record, 0, progress);
        let comparison = comparison.map_err(|error| Problem::PlayerFailed {
            player: self.players.join(", "),
            reason: error.to_string(),
        })?;
        Ok(comparison.map(|comparison| ComparisonView {
            players: self.players.clone(),
            judge: self.judge.clone(),
            agreements: comparison.agreements(),
            right: [0, 1].map(|player| comparison.right(player)),
            mean_loss: [0, 1].map(|player| comparison.mean_loss(player)),
            moves: self.moves(&comparison.positions),
        }))
    }

    fn moves(&self, positions: &[ComparedPosition]) -> Vec<ComparedMove> {
        let game = self.entry.game();
        let mut position = self.record.start.clone();
        let (mut at, mut moves) = (0, Vec::with_capacity(positions.len()));
        for compared in positions {
            for ply in &self.record.plies[at..compared.ply] {
                position.play(ply.m);
            }
            at = compared.ply;
            let choice = |choice: &Choice| {
                let [line, labels] = move_names(&position, &choice.line);
                ComparedChoice {
                    name: position.move_name(choice.m),
                    label: position.move_text(choice.m),
                    score: choice.value.map(|value| score(game, value)),
                    line,
                    labels,
                }
            };
            let judged = compared.judged.as_ref().map(|judged| JudgedMoves {
                scores: judged.values.map(|value| score(game, value)),
                right: judged.right,
                loss: judged.loss.expected_score,
                points_lost: judged.loss.units,
            });
            moves.push(ComparedMove {
                node: self.nodes.get(compared.ply).copied().unwrap_or(0),
                ply: compared.ply,
                turn: compared.side.into(),
                played: compared.played.map(|m| position.move_text(m)),
                choices: [choice(&compared.choices[0]), choice(&compared.choices[1])],
                agree: compared.agree(),
                gap: compared.gap,
                judged,
            });
        }
        moves
    }
}

impl App {
    /// Compares two players along a game, for a client.
    pub(crate) fn compare(
        &self,
        owner: &str,
        order: CompareRequest,
        report: Reporter,
    ) -> ApiResult<StopHandle> {
        let move_ms = order.move_ms.unwrap_or(COMPARE_MOVE_MS);
        check_limit("move_ms", move_ms as usize, self.config.limits.move_ms as usize)?;
        let handle = self.library.get(&order.game)?;
        let game = handle.lock();
        game.check_local()?;
        let entry = game.entry;
        let judge = order.judge.unwrap_or_else(|| entry.game().analyst().into());
        for line in order.players.iter().chain([&judge]) {
            self.config.check_engine(entry, line)?;
        }
        let file = game.file();
        let record = record_of(entry.game(), &file)?;
        drop(game);
        let time = Duration::from_millis(move_ms);
        let limits = |time| Limits { time: Some(time), ..Limits::default() };
        let factory = self.player_factory().with(|setup| {
            setup.hash_mb = Some(REVIEW_HASH_MB.min(self.config.limits.hash_mb));
            setup.limited_by_caller = true;
        });
        let task = CompareTask {
            entry,
            record,
            nodes: std::iter::once(0).chain(main_line(&file)).collect(),
            players: order.players,
            judge,
            factory,
            pool: Arc::clone(&self.players),
            limits: limits(time),
            judge_limits: limits(time * JUDGE_FACTOR),
        };
        let (request, send) = (order.request, Arc::clone(&report));
        Ok(self.submit_review(owner, request, report, move |stop, progress| {
            let comparison = task.run(stop, progress)?;
            let is_complete = comparison.is_some();
            if let Some(comparison) = comparison {
                send(ServerMessage::Comparison { request, comparison });
            }
            Ok(is_complete)
        }))
    }
}

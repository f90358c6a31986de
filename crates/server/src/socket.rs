//! The WebSocket: subscriptions to games and jobs, and searches, for the life of a connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::analysis::{AnalysisRequest, Reporter, ReviewRequest};
use crate::api::{ClientMessage, ErrorBody, Problem, ServerMessage};
use crate::app::App;
use crate::caller::Caller;
use crate::compare::CompareRequest;
use crate::connections::Connection;
use crate::error::{ApiError, ApiResult, run_blocking};
use crate::games::GameEvent;
use crate::jobs::JobChange;
use crate::play::Subscription;
use crate::search_pool::StopHandle;

const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// Messages buffered for a slow client; while it is full, search reports are dropped.
const SEND_BUFFER: usize = 256;
/// Limits per connection.
const MAX_SUBSCRIPTIONS: usize = 64;
const MAX_SEARCHES: usize = 16;

/// Opens the WebSocket: send `ClientMessage`, receive `ServerMessage`, one JSON object a message.
#[utoipa::path(
    get, path = "/api/ws", tag = "socket",
    responses(
        (status = 101, description = "Switching to the WebSocket protocol"),
        (status = "4XX", body = ErrorBody)
    )
)]
pub(crate) async fn open(
    State(app): State<App>,
    Extension(connection): Extension<Connection>,
    caller: Caller,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> ApiResult<Response> {
    let upgrade = upgrade.map_err(|rejection| {
        let problem = Problem::NotAWebSocket { reason: rejection.body_text() };
        ApiError::from(problem).with_status(rejection.status())
    })?;
    let upgrade = upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES);
    Ok(upgrade.on_upgrade(move |socket| serve(app, socket, connection, caller)))
}

async fn serve(app: App, socket: WebSocket, connection: Connection, caller: Caller) {
    let (_busy, timeout) = (connection.busy(), connection.socket_timeout());
    let (sink, mut incoming) = socket.split();
    let (send, outgoing) = mpsc::channel(SEND_BUFFER);
    // A task of its own, so that a client that does not read cannot keep us from seeing it disconnect.
    let writer = tokio::spawn(write(sink, outgoing, timeout));
    let mut session = Session {
        owner: format!("session {}", app.next_id()),
        app,
        caller,
        send,
        games: HashMap::new(),
        jobs: None,
        searches: HashMap::new(),
    };
    // Clients answer pings, so that silence means that the client is gone.
    while let Ok(Some(Ok(message))) = tokio::time::timeout(timeout, incoming.next()).await {
        match message {
            Message::Text(text) => session.handle_text(text.as_str()).await,
            Message::Binary(_) => {
                session.send_error(None, Problem::BinaryMessage).await;
            }
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Close(_) => break,
        }
    }
    writer.abort();
}

async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut outgoing: mpsc::Receiver<ServerMessage>,
    timeout: Duration,
) {
    let mut pings = tokio::time::interval(timeout / 3);
    loop {
        let message = tokio::select! {
            message = outgoing.recv() => match message {
                // Our own types always serialise.
                Some(message) => Message::text(serde_json::to_string(&message).unwrap_or_default()),
                None => return,
            },
            _ = pings.tick() => Message::Ping(Bytes::new()),
        };
        // A client that does not read is as good as gone.
        if !matches!(tokio::time::timeout(timeout, sink.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// A connection. Dropping it ends its subscriptions and searches.
struct Session {
    app: App,
    caller: Caller,
    owner: String,
    send: mpsc::Sender<ServerMessage>,
    /// The tasks that stream games, by game id.
    games: HashMap<String, JoinHandle<()>>,
    jobs: Option<JoinHandle<()>>,
    searches: HashMap<u32, StopHandle>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.searches.values().for_each(StopHandle::stop);
        self.games.values().chain(&self.jobs).for_each(JoinHandle::abort);
    }
}

impl Session {
    async fn handle_text(&mut self, text: &str) {
        let message: ClientMessage = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => {
                let problem = Problem::InvalidMessage { reason: error.to_string() };
                return self.send_error(None, problem).await;
            }
        };
        let request = match &message {
            ClientMessage::Analyse { request, .. }
            | ClientMessage::Review { request, .. }
            | ClientMessage::Compare { request, .. }
            | ClientMessage::Stop { request } => Some(*request),
            _ => None,
        };
        if let Err(error) = self.handle(message).await {
            self.send_error(request, error.into_problem()).await;
        }
    }

    async fn send_error(&self, request: Option<u32>, problem: Problem) {
        // Fails only if the connection is closed.
        let _ = self.send.send(ServerMessage::Error { request, error: problem.into() }).await;
    }

    async fn handle(&mut self, message: ClientMessage) -> ApiResult<()> {
        let is_watching =
            matches!(message, ClientMessage::Watch { .. } | ClientMessage::Unwatch { .. });
        if !self.caller.is_owner && !is_watching {
            return Err(Problem::GuestNotPermitted.into());
        }
        match message {
            ClientMessage::Watch { game } => self.watch(game).await,
            ClientMessage::Unwatch { game } => {
                if let Some(task) = self.games.remove(&game) {
                    task.abort();
                }
                Ok(())
            }
            ClientMessage::WatchJobs => {
                let task = tokio::spawn(stream_jobs(self.app.clone(), self.send.clone()));
                if let Some(old) = self.jobs.replace(task) {
                    old.abort();
                }
                Ok(())
            }
            ClientMessage::UnwatchJobs => {
                if let Some(task) = self.jobs.take() {
                    task.abort();
                }
                Ok(())
            }
            ClientMessage::Analyse { request, target, multipv, threads, hash_mb, player } => {
                let order = AnalysisRequest { request, target, multipv, threads, hash_mb, player };
                self.search(request, move |app, owner, report| app.analyse(owner, order, report))
                    .await
            }
            ClientMessage::Review { request, game, move_ms, nodes, player } => {
                let order = ReviewRequest { request, game, move_ms, nodes, player };
                self.search(request, move |app, owner, report| app.review(owner, order, report))
                    .await
            }
            ClientMessage::Compare { request, game, players, judge, move_ms } => {
                let order = CompareRequest { request, game, players, judge, move_ms };
                self.search(request, move |app, owner, report| app.compare(owner, order, report))
                    .await
            }
            ClientMessage::Stop { request } => {
                if let Some(stop_handle) = self.searches.get(&request) {
                    stop_handle.stop();
                }
                Ok(())
            }
        }
    }

    async fn watch(&mut self, id: String) -> ApiResult<()> {
        self.games.retain(|_, task| !task.is_finished());
        if self.games.len() >= MAX_SUBSCRIPTIONS {
            return Err(Problem::TooManySubscriptions { max: MAX_SUBSCRIPTIONS }.into());
        }
        let (app, game, caller) = (self.app.clone(), id.clone(), self.caller.clone());
        let subscription = run_blocking(move || app.subscribe(&game, &caller)).await?;
        let task = tokio::spawn(stream_game(id.clone(), subscription, self.send.clone()));
        if let Some(old) = self.games.insert(id, task) {
            old.abort();
        }
        Ok(())
    }

    async fn search(
        &mut self,
        request: u32,
        start: impl FnOnce(&App, &str, Reporter) -> ApiResult<StopHandle> + Send + 'static,
    ) -> ApiResult<()> {
        if let Some(old) = self.searches.remove(&request) {
            old.stop();
        }
        self.searches.retain(|_, stop_handle| !stop_handle.is_finished());
        if self.searches.len() >= MAX_SEARCHES {
            return Err(Problem::TooManySearches { max: MAX_SEARCHES }.into());
        }
        let (app, owner, send) = (self.app.clone(), self.owner.clone(), self.send.clone());
        let report: Reporter = Arc::new(move |message| send_from_search(&send, message));
        let stop_handle = run_blocking(move || start(&app, &owner, report)).await?;
        self.searches.insert(request, stop_handle);
        Ok(())
    }
}

/// Sends a message from a search's thread. Reports are dropped while the client's buffer is full (the
/// next one supersedes them); all other messages block until they are buffered.
fn send_from_search(send: &mpsc::Sender<ServerMessage>, message: ServerMessage) {
    let is_report =
        matches!(message, ServerMessage::Analysis { .. } | ServerMessage::ReviewProgress { .. });
    // Either way, an error means that the connection is closed.
    if is_report {
        let _ = send.try_send(message);
    } else {
        let _ = send.blocking_send(message);
    }
}

/// Sends a game, then its changes.
async fn stream_game(
    id: String,
    mut subscription: Subscription,
    send: mpsc::Sender<ServerMessage>,
) {
    let mut view = subscription.view.clone();
    loop {
        if send.send(ServerMessage::Game { view }).await.is_err() {
            return;
        }
        view = match subscription.events.recv().await {
            Ok(GameEvent::Changed(view)) => view.as_ref().clone(),
            // The receiver missed changes: a snapshot instead.
            Err(RecvError::Lagged(_)) => subscription.snapshot(),
            Ok(GameEvent::Deleted) | Err(RecvError::Closed) => {
                // Fails only if the connection is closed.
                let _ = send.send(ServerMessage::GameDeleted { game: id }).await;
                return;
            }
        };
    }
}

/// Sends all jobs, then their changes. Subscribed before the list is read, so that no change is missed.
async fn stream_jobs(app: App, send: mpsc::Sender<ServerMessage>) {
    let mut changes = app.jobs.changes.subscribe();
    send_jobs(&app, &send).await;
    loop {
        let message = match changes.recv().await {
            Ok(JobChange::Changed(id)) => {
                let app = app.clone();
                match run_blocking(move || app.jobs.summary_of(&id)).await {
                    Ok(job) => ServerMessage::Job { job },
                    // Deleted in the meantime.
                    Err(_) => continue,
                }
            }
            Ok(JobChange::Deleted(job)) => ServerMessage::JobDeleted { job },
            Err(RecvError::Lagged(_)) => {
                send_jobs(&app, &send).await;
                continue;
            }
            Err(RecvError::Closed) => return,
        };
        if send.send(message).await.is_err() {
            return;
        }
    }
}

async fn send_jobs(app: &App, send: &mpsc::Sender<ServerMessage>) {
    let listed = app.clone();
    // `GET /api/jobs` reports a folder that cannot be read.
    let jobs = run_blocking(move || listed.jobs.list()).await.unwrap_or_default();
    for job in jobs {
        if send.send(ServerMessage::Job { job }).await.is_err() {
            return;
        }
    }
}

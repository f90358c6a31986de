//! The WebSocket: what a client watches and searches, until it closes.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::analysis::{Analysis, ReviewOrder, Tell};
use crate::api::{ClientMessage, ErrorBody, Problem, ServerMessage};
use crate::app::App;
use crate::error::{ApiError, ApiResult, off_thread};
use crate::games::GameEvent;
use crate::jobs::JobChange;
use crate::play::Watched;
use crate::pool::Stopper;

/// No message of a client is longer.
const LONGEST_MESSAGE: usize = 64 << 10;
/// Messages that wait for a slow client; reports of searches that come then are left out.
const WAITING: usize = 256;
/// Things that a client may do at once.
const MOST_WATCHED: usize = 64;
const MOST_SEARCHES: usize = 16;

/// Opens the WebSocket: send `ClientMessage`, receive `ServerMessage`, one JSON object a message.
#[utoipa::path(
    get, path = "/api/ws", tag = "socket",
    responses(
        (status = 101, description = "The connection is a WebSocket now"),
        (status = "4XX", body = ErrorBody)
    )
)]
pub(crate) async fn open(
    State(app): State<App>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> ApiResult<Response> {
    let upgrade = upgrade.map_err(|rejection| {
        let problem = Problem::NotAWebSocket { reason: rejection.body_text() };
        ApiError::from(problem).with_status(rejection.status())
    })?;
    let upgrade = upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| serve(app, socket)))
}

async fn serve(app: App, socket: WebSocket) {
    let (sink, mut incoming) = socket.split();
    let (send, outgoing) = mpsc::channel(WAITING);
    // On its own, so that a client who does not listen cannot keep us from hearing it leave.
    let writer = tokio::spawn(write(sink, outgoing));
    let mut client = Client {
        owner: format!("client {}", app.ticket()),
        app,
        send,
        watched: HashMap::new(),
        jobs: None,
        searches: HashMap::new(),
    };
    while let Some(Ok(message)) = incoming.next().await {
        match message {
            Message::Text(text) => client.take(text.as_str()).await,
            Message::Binary(_) => {
                client.send_error(None, Problem::BinaryMessage).await;
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
) {
    while let Some(message) = outgoing.recv().await {
        // Our own types always serialise.
        let Ok(text) = serde_json::to_string(&message) else { continue };
        if sink.send(Message::text(text)).await.is_err() {
            return;
        }
    }
}

/// One open WebSocket. When it is dropped, everything that it watches and searches ends.
struct Client {
    app: App,
    owner: String,
    send: mpsc::Sender<ServerMessage>,
    watched: HashMap<String, JoinHandle<()>>,
    jobs: Option<JoinHandle<()>>,
    searches: HashMap<u32, Stopper>,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.searches.values().for_each(Stopper::stop);
        self.watched.values().chain(&self.jobs).for_each(JoinHandle::abort);
    }
}

impl Client {
    async fn take(&mut self, text: &str) {
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
            | ClientMessage::Stop { request } => Some(*request),
            _ => None,
        };
        if let Err(error) = self.obey(message).await {
            self.send_error(request, error.into_problem()).await;
        }
    }

    async fn send_error(&self, request: Option<u32>, problem: Problem) {
        // If nobody listens there is nobody to tell.
        let _ = self.send.send(ServerMessage::Error { request, error: problem.into() }).await;
    }

    async fn obey(&mut self, message: ClientMessage) -> ApiResult<()> {
        match message {
            ClientMessage::Watch { game } => self.watch(game).await,
            ClientMessage::Unwatch { game } => {
                if let Some(task) = self.watched.remove(&game) {
                    task.abort();
                }
                Ok(())
            }
            ClientMessage::WatchJobs => {
                let task = tokio::spawn(follow_jobs(self.app.clone(), self.send.clone()));
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
            ClientMessage::Analyse { request, target, lines, threads, hash_mb, player } => {
                let order = Analysis { request, target, lines, threads, hash_mb, player };
                self.search(request, move |app, owner, tell| app.analyse(owner, order, tell)).await
            }
            ClientMessage::Review { request, game, move_ms, nodes, player } => {
                let order = ReviewOrder { request, game, move_ms, nodes, player };
                self.search(request, move |app, owner, tell| app.review(owner, order, tell)).await
            }
            ClientMessage::Stop { request } => {
                if let Some(stopper) = self.searches.get(&request) {
                    stopper.stop();
                }
                Ok(())
            }
        }
    }

    async fn watch(&mut self, id: String) -> ApiResult<()> {
        self.watched.retain(|_, task| !task.is_finished());
        if self.watched.len() >= MOST_WATCHED {
            return Err(Problem::TooManyWatched { most: MOST_WATCHED }.into());
        }
        let (app, wanted) = (self.app.clone(), id.clone());
        let watched = off_thread(move || app.watch(&wanted)).await?;
        let task = tokio::spawn(follow_game(id.clone(), watched, self.send.clone()));
        if let Some(old) = self.watched.insert(id, task) {
            old.abort();
        }
        Ok(())
    }

    async fn search(
        &mut self,
        request: u32,
        start: impl FnOnce(&App, &str, Tell) -> ApiResult<Stopper> + Send + 'static,
    ) -> ApiResult<()> {
        if let Some(old) = self.searches.remove(&request) {
            old.stop();
        }
        self.searches.retain(|_, stopper| !stopper.is_over());
        if self.searches.len() >= MOST_SEARCHES {
            return Err(Problem::TooManySearches { most: MOST_SEARCHES }.into());
        }
        let (app, owner, send) = (self.app.clone(), self.owner.clone(), self.send.clone());
        let tell: Tell = Arc::new(move |message| tell(&send, message));
        let stopper = off_thread(move || start(&app, &owner, tell)).await?;
        self.searches.insert(request, stopper);
        Ok(())
    }
}

/// On a search's thread: sends what it says. Last words always get through; a report that finds the
/// client busy is left out, as the next one says more.
fn tell(send: &mpsc::Sender<ServerMessage>, message: ServerMessage) {
    let is_report =
        matches!(message, ServerMessage::Analysis { .. } | ServerMessage::ReviewProgress { .. });
    // Either way: if nobody listens there is nobody to tell.
    if is_report {
        let _ = send.try_send(message);
    } else {
        let _ = send.blocking_send(message);
    }
}

/// Sends a game and whatever changes in it.
async fn follow_game(id: String, mut watched: Watched, send: mpsc::Sender<ServerMessage>) {
    let mut view = watched.view.clone();
    loop {
        if send.send(ServerMessage::Game { view }).await.is_err() {
            return;
        }
        view = match watched.events.recv().await {
            Ok(GameEvent::Changed(view)) => view.as_ref().clone(),
            // Too slow: the whole game instead of what was missed.
            Err(RecvError::Lagged(_)) => watched.whole(),
            Ok(GameEvent::Deleted) | Err(RecvError::Closed) => {
                // If nobody listens there is nobody to tell.
                let _ = send.send(ServerMessage::GameDeleted { game: id }).await;
                return;
            }
        };
    }
}

/// Sends all jobs as they are, then what they tell: whoever takes only these is never behind.
async fn follow_jobs(app: App, send: mpsc::Sender<ServerMessage>) {
    let mut changes = app.jobs.changes.subscribe();
    send_jobs(&app, &send).await;
    loop {
        let message = match changes.recv().await {
            Ok(JobChange::Changed(id)) => {
                let app = app.clone();
                match off_thread(move || app.jobs.summary_of(&id)).await {
                    Ok(job) => ServerMessage::Job { job },
                    // Deleted meanwhile.
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
    // A folder that cannot be read is told to whoever asks for the list.
    let jobs = off_thread(move || listed.jobs.list()).await.unwrap_or_default();
    for job in jobs {
        if send.send(ServerMessage::Job { job }).await.is_err() {
            return;
        }
    }
}

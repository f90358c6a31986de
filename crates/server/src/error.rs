use std::fmt::Display;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tablero_core::{NoSuchRules, OpenError, PositionError, ReadError};
use tablero_jobs::JobError;
use tablero_registry::{GameEntry, NoSuchGame};

use crate::api::{ErrorBody, Names, Problem};

/// A request that could not be met.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{problem}")]
pub(crate) struct ApiError {
    status: StatusCode,
    problem: Problem,
}

/// What a handler gives.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// Our own trouble, such as a full disk.
    pub(crate) fn internal(reason: impl Display) -> Self {
        Problem::Internal { reason: reason.to_string() }.into()
    }

    /// The same with another status.
    #[must_use]
    pub(crate) const fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// What is wrong.
    pub(crate) fn into_problem(self) -> Problem {
        self.problem
    }
}

impl<P: Into<Problem>> From<P> for ApiError {
    fn from(problem: P) -> Self {
        let problem = problem.into();
        Self { status: problem.status(), problem }
    }
}

impl From<NoSuchGame> for Problem {
    fn from(NoSuchGame { asked, known }: NoSuchGame) -> Self {
        Self::NoSuchGame { asked, known: known.into_iter().collect() }
    }
}

impl From<NoSuchRules> for Problem {
    fn from(NoSuchRules { game, asked, known }: NoSuchRules) -> Self {
        Self::NoSuchRules { game: game.into(), asked, known: known.into_iter().collect() }
    }
}

impl From<PositionError> for Problem {
    fn from(error: PositionError) -> Self {
        match error {
            PositionError::Position(error) => Self::position(error),
            PositionError::Move { number, error } => {
                let name = error.found.trim_matches('`').to_owned();
                Self::move_of_line(number, &name, error)
            }
        }
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        let names = |known: String| known.split(", ").collect::<Names>();
        match error {
            OpenError::Damaged { format, game, error: ReadError { place, found, expected } } => {
                let (format, game, location) = (format.into(), game.into(), place.into());
                Self::DamagedFile { format, game, location, found, expected }
            }
            OpenError::Unknown { beginning, known } => {
                Self::UnknownFormat { beginning, known: names(known) }
            }
            OpenError::NoFormat { asked, known } => {
                Self::NoSuchFormat { asked, known: names(known) }
            }
            OpenError::Empty => Self::EmptyFile,
        }
    }
}

impl From<JobError> for Problem {
    fn from(error: JobError) -> Self {
        match error {
            JobError::NotFound(job) => Self::JobNotFound { job },
            JobError::Busy { id, .. } => Self::JobBusy { job: id },
            other => Self::Internal { reason: other.to_string() },
        }
    }
}

/// The game of that name.
pub(crate) fn find_game(name: &str) -> ApiResult<&'static dyn GameEntry> {
    Ok(tablero_registry::find(name)?)
}

/// Does work that may wait for a lock or the disk where it keeps nobody else from being served.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) if error.is_cancelled() => Err(Problem::Stopping.into()),
        Err(_) => Err(ApiError::internal("that went wrong inside the server")),
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(ErrorBody::from(self.problem))).into_response()
    }
}

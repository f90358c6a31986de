//! Errors of request handlers.

mod conversions;

use std::fmt::Display;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tablero_registry::GameEntry;

use crate::api::{ErrorBody, Problem};

/// The error of a request handler: a problem and its HTTP status.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{problem}")]
pub(crate) struct ApiError {
    status: StatusCode,
    problem: Problem,
}

/// The result of a handler.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// An internal error, such as a full disk.
    pub(crate) fn internal(reason: impl Display) -> Self {
        Problem::Internal { reason: reason.to_string() }.into()
    }

    /// The same with another status.
    #[must_use]
    pub(crate) const fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The problem.
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

/// The game of that name.
pub(crate) fn find_game(name: &str) -> ApiResult<&'static dyn GameEntry> {
    Ok(tablero_registry::find(name)?)
}

/// Runs work that may block on a lock or the disk off the async threads.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) if error.is_cancelled() => Err(Problem::ShuttingDown.into()),
        Err(_) => Err(ApiError::internal("the request handler panicked")),
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(ErrorBody::from(self.problem))).into_response()
    }
}

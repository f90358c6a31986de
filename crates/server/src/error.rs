use std::fmt::Display;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::api::ErrorBody;

/// A request that could not be met: a status and a sentence that says what would be right.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    status: StatusCode,
    message: String,
}

/// What a handler gives.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    fn new(status: StatusCode, message: impl Display) -> Self {
        Self { status, message: message.to_string() }
    }

    /// 400: the request makes no sense.
    pub fn bad(message: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 403: not from there, or not by you.
    pub fn forbidden(message: impl Display) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// 404: there is no such thing.
    pub fn not_found(message: impl Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// 409: understood, but not possible as things stand.
    pub fn conflict(message: impl Display) -> Self {
        Self::new(StatusCode::CONFLICT, message)
    }

    /// 500: our own trouble, such as a full disk.
    pub fn internal(message: impl Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// The same with another status.
    #[must_use]
    pub const fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(ErrorBody { error: self.message })).into_response()
    }
}

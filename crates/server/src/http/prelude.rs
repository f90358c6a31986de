//! What all handlers need: extractors whose errors are JSON like all others, and a place for work
//! that waits for locks and disks.

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::IntoResponse;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::Problem;
use crate::error::{ApiError, ApiResult};

pub(super) use axum::extract::State;
pub(super) use axum::http::StatusCode;
pub(super) use axum::response::Response;
pub(super) use utoipa_axum::router::OpenApiRouter;
pub(super) use utoipa_axum::routes;

pub(super) use crate::app::App;
pub(super) use crate::error::off_thread;

/// A body of JSON.
pub(super) struct Json<T>(pub(super) T);

/// A body as it is.
pub(super) struct Raw(pub(super) Bytes);

/// What stands in the path.
pub(super) struct Path<T>(pub(super) T);

/// What stands after the question mark.
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let taken = axum::Json::<T>::from_request(request, state).await;
        taken.map(|axum::Json(value)| Self(value)).map_err(|rejection: JsonRejection| {
            invalid(rejection.body_text()).with_status(rejection.status())
        })
    }
}

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let taken = Bytes::from_request(request, state).await;
        taken.map(Self).map_err(|rejection: BytesRejection| {
            invalid(rejection.body_text()).with_status(rejection.status())
        })
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let taken = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        taken
            .map(|axum::extract::Path(value)| Self(value))
            .map_err(|rejection: PathRejection| invalid(rejection.body_text()))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let taken = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        taken
            .map(|axum::extract::Query(value)| Self(value))
            .map_err(|rejection: QueryRejection| invalid(rejection.body_text()))
    }
}

fn invalid(reason: String) -> ApiError {
    Problem::InvalidRequest { reason }.into()
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// Like [`off_thread`], for an answer of JSON.
pub(super) async fn answer<T: Send + 'static>(
    work: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<Json<T>> {
    off_thread(work).await.map(Json)
}

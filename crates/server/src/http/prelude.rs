//! What all handlers need: extractors whose rejections are [`ApiError`]s, and helpers for blocking work.

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
pub(super) use crate::error::run_blocking;

/// A JSON body.
pub(super) struct Json<T>(pub(super) T);

/// A raw body.
pub(super) struct Raw(pub(super) Bytes);

/// Path parameters.
pub(super) struct Path<T>(pub(super) T);

/// Query parameters.
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let extracted = axum::Json::<T>::from_request(request, state).await;
        extracted.map(|axum::Json(value)| Self(value)).map_err(|rejection: JsonRejection| {
            invalid(rejection.body_text()).with_status(rejection.status())
        })
    }
}

impl<S: Send + Sync> FromRequest<S> for Raw {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let extracted = Bytes::from_request(request, state).await;
        extracted.map(Self).map_err(|rejection: BytesRejection| {
            invalid(rejection.body_text()).with_status(rejection.status())
        })
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let extracted = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        extracted
            .map(|axum::extract::Path(value)| Self(value))
            .map_err(|rejection: PathRejection| invalid(rejection.body_text()))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let extracted = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        extracted
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

/// Like [`run_blocking`], with a JSON response.
pub(super) async fn respond<T: Send + 'static>(
    work: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<Json<T>> {
    run_blocking(work).await.map(Json)
}

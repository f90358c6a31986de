//! What all handlers need.

pub(super) use axum::Json;
pub(super) use axum::body::Bytes;
pub(super) use axum::extract::{Path, Query, State};
pub(super) use axum::http::StatusCode;
pub(super) use axum::response::Response;
pub(super) use utoipa_axum::router::OpenApiRouter;
pub(super) use utoipa_axum::routes;

pub(super) use crate::app::App;

//! The page and its API: games, analysis and jobs over HTTP and WebSocket.
//!
//! [`openapi`] describes the API; it is made from the types in [`api`] and the handlers, and stands in
//! `web/openapi.json`, from which the page's types are made.

pub mod api;
mod app;
mod error;
mod http;

/// The OpenAPI document of the API, as text.
pub fn openapi() -> String {
    let (_, document) = http::api();
    // Plain data with text as keys always serialises.
    document.to_pretty_json().expect("plain data") + "\n"
}

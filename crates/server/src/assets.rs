//! The page's files, embedded in the binary.

use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use rust_embed::Embed;

use crate::api::Problem;
use crate::error::ApiError;

/// The build of the page, if `npm run build` ran before this was compiled.
#[derive(Embed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Page;

const INDEX: &str = "index.html";
const NOT_BUILT: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Tablero</title>\
    <h1>Tablero</h1><p>The server runs, but this program was built without the page. \
    Build it with <code>script/run</code>, or: <code>npm ci &amp;&amp; npm run build</code> in \
    <code>web</code>, then <code>cargo build --release</code>.";

/// The fallback handler: everything outside the API.
pub(crate) async fn serve(request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    if path == "api" || path.starts_with("api/") {
        let (method, path) = (request.method().to_string(), format!("/{path}"));
        return ApiError::from(Problem::EndpointNotFound { method, path }).into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return ApiError::from(Problem::ReadOnly).into_response();
    }
    let path = if path.is_empty() { INDEX } else { path };
    match Page::get(path) {
        Some(file) => send_negotiated(path, &file, &request),
        None if path == INDEX => {
            ([(CONTENT_TYPE, "text/html; charset=utf-8")], NOT_BUILT).into_response()
        }
        None => ApiError::from(Problem::PageNotFound { path: format!("/{path}") }).into_response(),
    }
}

/// Sends a file, gzipped if the build has a compressed copy and the client accepts it.
fn send_negotiated(path: &str, file: &rust_embed::EmbeddedFile, request: &Request) -> Response {
    let Some(compressed) = Page::get(&format!("{path}.gz")) else {
        return send(path, file, request);
    };
    let is_compressed = accepts_gzip(request.headers());
    let mut response = send(path, if is_compressed { &compressed } else { file }, request);
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_compressed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Whether the client accepts gzip.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        is_gzip && weight.and_then(|weight| weight.parse().ok()).is_none_or(|q: f32| q > 0.0)
    })
}

fn send(path: &str, file: &rust_embed::EmbeddedFile, request: &Request) -> Response {
    let hash = file.metadata.sha256_hash();
    let tag: String = hash[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    // Asset names contain a hash of their content.
    let caching = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers = [
        (CONTENT_TYPE, content_type(path).to_owned()),
        (CACHE_CONTROL, caching.to_owned()),
        (ETAG, tag.clone()),
    ];
    let known = request.headers().get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag)) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, file.data.clone().into_owned()).into_response()
}

/// The MIME type of a file extension.
fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_built_page_is_embedded() {
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist").join(INDEX);
        assert_eq!(Page::get(INDEX).is_some(), built.exists());
    }

    #[test]
    fn accept_encoding_is_parsed() {
        let accepts = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(text));
            accepts_gzip(&headers)
        };
        for text in ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "deflate, gzip;q=1"] {
            assert!(accepts(text), "{text}");
        }
        for text in ["", "br", "identity", "gzip;q=0", "gzip; q=0.0, br", "xgzip"] {
            assert!(!accepts(text), "{text}");
        }
    }

    /// Compressed and plain responses differ in ETag and vary by encoding.
    #[test]
    fn scripts_are_served_compressed() {
        let scripts = Page::iter().filter(|name| name.ends_with(".js"));
        for name in scripts {
            let plain = Page::get(&name).expect("listed");
            let request = |encoding: &str| {
                let request = Request::builder().header(ACCEPT_ENCODING, encoding);
                request.body(axum::body::Body::empty()).expect("a request")
            };
            let compressed = send_negotiated(&name, &plain, &request("gzip"));
            let header = |response: &Response, name| response.headers().get(name).cloned();
            assert_eq!(
                header(&compressed, CONTENT_ENCODING),
                Some("gzip".parse().unwrap()),
                "{name}"
            );
            let whole = send_negotiated(&name, &plain, &request("identity"));
            assert_eq!(header(&whole, CONTENT_ENCODING), None);
            assert_ne!(header(&compressed, ETAG), header(&whole, ETAG));
            for response in [&compressed, &whole] {
                assert_eq!(header(response, VARY), Some("accept-encoding".parse().unwrap()));
                assert_eq!(
                    header(response, CONTENT_TYPE),
                    Some("text/javascript; charset=utf-8".parse().unwrap())
                );
            }
        }
    }
}

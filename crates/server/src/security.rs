//! Who may ask: checks that every request passes before anything else sees it.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::Problem;
use crate::error::{ApiError, ApiResult};
use crate::random::random_token;

/// The door of a server.
#[derive(Clone)]
pub(crate) struct Gate {
    /// Only names of this machine itself are ours.
    is_loopback: bool,
    /// What whoever comes from elsewhere must know.
    token: Option<String>,
    /// Other servers on this machine have other cookies.
    cookie: String,
}

const HEADERS: [(HeaderName, &str); 6] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Why a request does not come in.
enum Refusal {
    Error(ApiError),
    /// It brought the token in its address: to be exchanged for a cookie.
    LetIn {
        path: String,
        cookie: String,
    },
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Error(error) => error.into_response(),
            Self::LetIn { path, cookie } => {
                let no_store = (CACHE_CONTROL, "no-store".to_owned());
                let headers = [(LOCATION, path), (SET_COOKIE, cookie), no_store];
                (StatusCode::SEE_OTHER, headers).into_response()
            }
        }
    }
}

impl Gate {
    /// The door of a server that listens there.
    pub(crate) fn new(host: IpAddr, port: u16) -> Self {
        let is_loopback = host.is_loopback();
        let token = (!is_loopback).then(random_token);
        Self { is_loopback, token, cookie: format!("tablero-{port}") }
    }

    /// The secret, if one is needed.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Whether a request may come in.
    fn check(&self, request: &Request) -> Result<(), Refusal> {
        let headers = request.headers();
        let host = self.host(headers, request.uri())?;
        if is_from_elsewhere(headers, host) && changes_something(request) {
            return Err(ApiError::from(Problem::CrossSite).into());
        }
        self.check_token(request)
    }

    /// The name by which the server was called, which must be one of ours: a name of somebody else's
    /// that leads here is a trick to get at the server from their page.
    fn host<'a>(&self, headers: &'a HeaderMap, uri: &'a Uri) -> ApiResult<&'a str> {
        let named = headers.get(HOST).and_then(|host| host.to_str().ok());
        let authority = named.or_else(|| uri.authority().map(|authority| authority.as_str()));
        let authority = authority.ok_or(Problem::WrongHost)?;
        let is_ours = match host_of(authority) {
            "localhost" => true,
            // An address cannot be made to lead elsewhere.
            host => host.parse::<IpAddr>().is_ok_and(|ip| !self.is_loopback || ip.is_loopback()),
        };
        if is_ours { Ok(authority) } else { Err(Problem::WrongHost.into()) }
    }

    fn check_token(&self, request: &Request) -> Result<(), Refusal> {
        let Some(token) = &self.token else { return Ok(()) };
        let headers = request.headers();
        if self.cookies(headers).any(|cookie| is_same(cookie, token)) {
            return Ok(());
        }
        let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        if bearer.and_then(|value| value.strip_prefix("Bearer ")).is_some_and(|b| is_same(b, token))
        {
            return Ok(());
        }
        let query = request.uri().query().unwrap_or_default();
        let given = query.split('&').find_map(|part| part.strip_prefix("token="));
        if request.method() == Method::GET && given.is_some_and(|given| is_same(given, token)) {
            return Err(self.let_in(request.uri().path(), token));
        }
        Err(ApiError::from(Problem::TokenNeeded).into())
    }

    fn cookies<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
        pairs.filter(|(name, _)| name.trim() == self.cookie).map(|(_, value)| value.trim())
    }

    /// Exchanges the token in the address for a cookie, so that it does not stay in the address.
    fn let_in(&self, path: &str, token: &str) -> Refusal {
        // A path with two slashes would be another server's name.
        let path = if path.starts_with("//") { "/" } else { path };
        let cookie = format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", self.cookie);
        Refusal::LetIn { path: path.into(), cookie }
    }
}

/// Every request goes through here.
pub(crate) async fn guard(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let mut response = match gate.check(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A request that changes something, or a WebSocket, over which everything can be done.
fn changes_something(request: &Request) -> bool {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    !is_read || request.uri().path() == "/api/ws"
}

/// Whether a browser says that the request comes from another page than ours. Other programs say
/// nothing.
fn is_from_elsewhere(headers: &HeaderMap, host: &str) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    let is_foreign_site = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let is_foreign_origin = headers.get(ORIGIN).is_some_and(|origin| {
        origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://")) != Some(host)
    });
    is_foreign_site || is_foreign_origin
}

/// The name or address in `name:port`, without the brackets of IPv6.
fn host_of(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(address, _)| address);
    }
    authority.split_once(':').map_or(authority, |(name, _)| name)
}

/// Compares in a time that does not tell how much is right.
fn is_same(given: &str, secret: &str) -> bool {
    let differ = given.bytes().zip(secret.bytes()).fold(0, |bits, (a, b)| bits | (a ^ b));
    given.len() == secret.len() && differ == 0
}

//! Authentication: the middleware that every request passes first. It checks the Host header (against
//! DNS rebinding), the request's origin (against cross-site request forgery) and, beyond loopback, a
//! token; and adds the security headers to every response.

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

/// Decides which requests are let through.
#[derive(Clone)]
pub(crate) struct AuthGuard {
    /// Whether only loopback host names are accepted.
    is_loopback: bool,
    /// The secret that requests need beyond loopback.
    token: Option<String>,
    /// The cookie's name; has the port, so that servers on one machine do not share it.
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

/// Why a request is not passed on.
enum Rejection {
    Error(ApiError),
    /// The token is in the URL: redirects to the page and sets the cookie.
    TokenExchange {
        path: String,
        cookie: String,
    },
}

impl From<ApiError> for Rejection {
    fn from(error: ApiError) -> Self {
        Self::Error(error)
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        match self {
            Self::Error(error) => error.into_response(),
            Self::TokenExchange { path, cookie } => {
                let no_store = (CACHE_CONTROL, "no-store".to_owned());
                let headers = [(LOCATION, path), (SET_COOKIE, cookie), no_store];
                (StatusCode::SEE_OTHER, headers).into_response()
            }
        }
    }
}

impl AuthGuard {
    /// The guard of a server that listens on `host` and `port`.
    pub(crate) fn new(host: IpAddr, port: u16) -> Self {
        let is_loopback = host.is_loopback();
        let token = (!is_loopback).then(random_token);
        Self { is_loopback, token, cookie: format!("tablero-{port}") }
    }

    /// The token, if one is required.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Whether a request is let through.
    fn check(&self, request: &Request) -> Result<(), Rejection> {
        let headers = request.headers();
        let host = self.host(headers, request.uri())?;
        if is_cross_origin(headers, host) && is_state_changing(request) {
            return Err(ApiError::from(Problem::CrossSite).into());
        }
        self.check_token(request)
    }

    /// The request's host, which must be an address or `localhost`: any other name may be a DNS
    /// rebinding attack.
    fn host<'a>(&self, headers: &'a HeaderMap, uri: &'a Uri) -> ApiResult<&'a str> {
        let named = headers.get(HOST).and_then(|host| host.to_str().ok());
        let authority = named.or_else(|| uri.authority().map(|authority| authority.as_str()));
        let authority = authority.ok_or(Problem::UnknownHost)?;
        let is_accepted = match host_of(authority) {
            "localhost" => true,
            // An IP address cannot be rebound.
            host => host.parse::<IpAddr>().is_ok_and(|ip| !self.is_loopback || ip.is_loopback()),
        };
        if is_accepted { Ok(authority) } else { Err(Problem::UnknownHost.into()) }
    }

    fn check_token(&self, request: &Request) -> Result<(), Rejection> {
        let Some(token) = &self.token else { return Ok(()) };
        let headers = request.headers();
        if self.cookies(headers).any(|cookie| constant_time_eq(cookie, token)) {
            return Ok(());
        }
        let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        if bearer
            .and_then(|value| value.strip_prefix("Bearer "))
            .is_some_and(|b| constant_time_eq(b, token))
        {
            return Ok(());
        }
        let query = request.uri().query().unwrap_or_default();
        let given = query.split('&').find_map(|part| part.strip_prefix("token="));
        if request.method() == Method::GET
            && given.is_some_and(|given| constant_time_eq(given, token))
        {
            return Err(self.exchange_token(request.uri().path(), token));
        }
        Err(ApiError::from(Problem::TokenRequired).into())
    }

    fn cookies<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
        pairs.filter(|(name, _)| name.trim() == self.cookie).map(|(_, value)| value.trim())
    }

    /// Exchanges the token in the URL for a cookie, so that it does not stay in the browser's history.
    fn exchange_token(&self, path: &str, token: &str) -> Rejection {
        // `//host` would redirect to another server.
        let path = if path.starts_with("//") { "/" } else { path };
        let cookie = format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", self.cookie);
        Rejection::TokenExchange { path: path.into(), cookie }
    }
}

/// The middleware.
pub(crate) async fn authenticate(
    State(guard): State<AuthGuard>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.check(&request) {
        Ok(()) => next.run(request).await,
        Err(rejection) => rejection.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether a request may change state: a write, or opening the WebSocket, which accepts commands.
fn is_state_changing(request: &Request) -> bool {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    !is_read || request.uri().path() == "/api/ws"
}

/// Whether a browser says that the request comes from another site. Other clients send neither header.
fn is_cross_origin(headers: &HeaderMap, host: &str) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    let is_foreign_site = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let is_foreign_origin = headers.get(ORIGIN).is_some_and(|origin| {
        origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://")) != Some(host)
    });
    is_foreign_site || is_foreign_origin
}

/// The host of `host:port`, without the brackets of IPv6.
fn host_of(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(address, _)| address);
    }
    authority.split_once(':').map_or(authority, |(name, _)| name)
}

/// Compares in constant time, against timing attacks.
fn constant_time_eq(given: &str, secret: &str) -> bool {
    let differ = given.bytes().zip(secret.bytes()).fold(0, |bits, (a, b)| bits | (a ^ b));
    given.len() == secret.len() && differ == 0
}

//! Authentication: the middleware that every request passes first. It checks the Host header (against
//! DNS rebinding), the request's origin (against cross-site request forgery) and, where others can reach the
//! server, a token or the secret of an invitation; and adds the security headers to every response.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

use crate::api::Problem;
use crate::app::App;
use crate::caller::Caller;
use crate::config::{Config, PublicUrl};
use crate::error::{ApiError, ApiResult, run_blocking};
use crate::invitations::JOIN;
use crate::random::random_token;

/// Decides which requests are let through; cheap to clone.
#[derive(Clone)]
pub(crate) struct AuthGuard(Arc<Rules>);

struct Rules {
    /// Whether only loopback host names are accepted, besides the public one.
    is_loopback: bool,
    /// The secret that the owner's requests need where others can reach the server.
    token: Option<String>,
    /// The cookie's name; has the port, so that servers on one machine do not share it.
    cookie: String,
    public_url: Option<PublicUrl>,
    /// Whether browsers speak TLS to the server or its proxy.
    is_secure: bool,
}

/// How long the cookie of a seat lasts, in seconds: a month.
const SEAT_AGE: u32 = 30 * 24 * 3600;

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
    /// A secret is in the URL: redirects to the page and sets the cookie.
    Exchange {
        path: String,
        cookie: String,
    },
    /// The link of an invitation that does not exist.
    NoInvitation,
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
            Self::Exchange { path, cookie } => {
                let no_store = (CACHE_CONTROL, "no-store".to_owned());
                let headers = [(LOCATION, path), (SET_COOKIE, cookie), no_store];
                (StatusCode::SEE_OTHER, headers).into_response()
            }
            Self::NoInvitation => (StatusCode::NOT_FOUND, Html(NO_INVITATION)).into_response(),
        }
    }
}

/// What a person sees who opens a dead link; the page needs a valid one.
const NO_INVITATION: &str = "<!doctype html><html lang=en><meta charset=utf-8>\
    <meta name=viewport content=\"width=device-width\"><title>Tablero</title><h1>Tablero</h1>\
    <p>This invitation is not valid any more. Ask for a new link.\
    <p lang=es>Esta invitación ya no es válida. Pide un enlace nuevo.";

impl AuthGuard {
    /// The guard of a server that listens on `host` and `port`.
    pub(crate) fn new(host: IpAddr, port: u16, config: &Config) -> Self {
        let is_loopback = host.is_loopback();
        let public_url = config.public_url.clone();
        let is_secure =
            config.tls.is_some() || public_url.as_ref().is_some_and(PublicUrl::is_secure);
        // A proxy makes a server on loopback reachable.
        let token = (!is_loopback || public_url.is_some()).then(random_token);
        let cookie = format!("tablero-{port}");
        Self(Arc::new(Rules { is_loopback, token, cookie, public_url, is_secure }))
    }

    /// The token, if one is required.
    pub(crate) fn token(&self) -> Option<&str> {
        self.0.token.as_deref()
    }

    /// The cookie of a seat. `Lax`, so that it is sent after a click on a link elsewhere; state-changing
    /// requests are protected by their origin.
    pub(crate) fn seat_cookie(&self, game: &str, secret: &str) -> String {
        let name = &self.0.cookie;
        let secure = self.secure();
        format!(
            "{name}-{game}={secret}; HttpOnly; SameSite=Lax; Path=/; Max-Age={SEAT_AGE}{secure}"
        )
    }

    fn secure(&self) -> &'static str {
        if self.0.is_secure { "; Secure" } else { "" }
    }

    /// Who sends a request, if it is let through.
    async fn check(&self, app: &App, request: &Parts) -> Result<Caller, Rejection> {
        let headers = &request.headers;
        let host = self.host(headers, &request.uri)?;
        if self.is_cross_origin(headers, host) && is_state_changing(request) {
            return Err(ApiError::from(Problem::CrossSite).into());
        }
        let secrets = self.seats(headers).collect();
        let caller = Caller { is_owner: self.has_token(headers), secrets };
        if let Some(link) = request.uri.path().strip_prefix(JOIN) {
            return Err(self.join(app, link, caller).await);
        }
        if caller.is_owner {
            return Ok(caller);
        }
        if let Some(exchange) = self.exchange_token(request) {
            return Err(exchange);
        }
        check_guest(app, request, caller).await
    }

    /// Exchanges the secret of a link for a cookie.
    async fn join(&self, app: &App, link: &str, caller: Caller) -> Rejection {
        let Some((id, secret)) = link.split_once('/') else { return Rejection::NoInvitation };
        let (app, id, secret) = (app.clone(), id.to_owned(), secret.to_owned());
        let joined = run_blocking(move || Ok((app.join(&id, &secret, &caller), id))).await;
        match joined {
            Ok((Some(secret), id)) => Rejection::Exchange {
                path: format!("/#/game/{id}"),
                cookie: self.seat_cookie(&id, &secret),
            },
            Ok((None, _)) => Rejection::NoInvitation,
            Err(error) => error.into(),
        }
    }

    /// The request's host, which must be an address, `localhost` or the public name: any other may be a DNS
    /// rebinding attack.
    fn host<'a>(&self, headers: &'a HeaderMap, uri: &'a Uri) -> ApiResult<&'a str> {
        let named = headers.get(HOST).and_then(|host| host.to_str().ok());
        let authority = named.or_else(|| uri.authority().map(|authority| authority.as_str()));
        let authority = authority.ok_or(Problem::UnknownHost)?;
        let is_accepted = match host_of(authority) {
            "localhost" => true,
            host if self.0.public_url.as_ref().is_some_and(|url| url.host() == host) => true,
            // An IP address cannot be rebound.
            host => host.parse::<IpAddr>().is_ok_and(|ip| !self.0.is_loopback || ip.is_loopback()),
        };
        if is_accepted { Ok(authority) } else { Err(Problem::UnknownHost.into()) }
    }

    /// Whether a browser says that the request comes from another site. Other clients send neither header.
    fn is_cross_origin(&self, headers: &HeaderMap, host: &str) -> bool {
        let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
        let is_foreign_site = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
        let is_own = |origin: &str| {
            let scheme = if self.0.is_secure { "https://" } else { "http://" };
            // A proxy may replace the host.
            let is_public = self.0.public_url.as_ref().is_some_and(|url| url.origin() == origin);
            is_public || origin.strip_prefix(scheme) == Some(host)
        };
        let origin = headers.get(ORIGIN);
        let is_foreign_origin = origin.is_some_and(|origin| !origin.to_str().is_ok_and(is_own));
        is_foreign_site || is_foreign_origin
    }

    /// Whether the request has the token, in a cookie or a header; true if none is required.
    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.0.token else { return true };
        let has_cookie = cookies(headers)
            .any(|(name, value)| name == self.0.cookie && constant_time_eq(value, token));
        let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
        has_cookie || bearer.is_some_and(|given| constant_time_eq(given, token))
    }

    /// The secrets of invitations in the cookies, by game id.
    fn seats<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = (String, String)> + 'a {
        cookies(headers).filter_map(|(name, secret)| {
            let id = name.strip_prefix(&self.0.cookie)?.strip_prefix('-')?;
            Some((id.to_owned(), secret.to_owned()))
        })
    }

    /// Exchanges the token in the URL for a cookie, so that it does not stay in the browser's history.
    fn exchange_token(&self, request: &Parts) -> Option<Rejection> {
        let token = self.token()?;
        let query = request.uri.query().unwrap_or_default();
        let given = query.split('&').find_map(|part| part.strip_prefix("token="))?;
        if request.method != Method::GET || !constant_time_eq(given, token) {
            return None;
        }
        // `//host` would redirect to another server.
        let path = request.uri.path();
        let path = if path.starts_with("//") { "/" } else { path };
        let (name, secure) = (&self.0.cookie, self.secure());
        let cookie = format!("{name}={token}; HttpOnly; SameSite=Strict; Path=/{secure}");
        Some(Rejection::Exchange { path: path.into(), cookie })
    }
}

/// Lets guests through to their games only.
async fn check_guest(app: &App, request: &Parts, caller: Caller) -> Result<Caller, Rejection> {
    if caller.secrets.is_empty() {
        return Err(ApiError::from(Problem::TokenRequired).into());
    }
    let (app, method) = (app.clone(), request.method.clone());
    let path = request.uri.path().to_owned();
    let checked = run_blocking(move || {
        if !caller.is_guest(&app) {
            return Err(Problem::TokenRequired.into());
        }
        if !caller.guest_may(&app, &method, &path) {
            return Err(Problem::GuestNotPermitted.into());
        }
        Ok(caller)
    });
    Ok(checked.await?)
}

/// Names and values of the cookies.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.trim(), value.trim()))
}

/// The middleware.
pub(crate) async fn authenticate(
    State((guard, app)): State<(AuthGuard, App)>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let mut response = match guard.check(&app, &parts).await {
        Ok(caller) => {
            parts.extensions.insert(caller);
            parts.extensions.insert(guard);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(rejection) => rejection.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether a request may change state: a write, or opening the WebSocket, which accepts commands.
fn is_state_changing(request: &Parts) -> bool {
    let is_read = matches!(request.method, Method::GET | Method::HEAD);
    !is_read || request.uri.path() == "/api/ws"
}

/// The host of `host:port`, without the brackets of IPv6.
fn host_of(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(address, _)| address);
    }
    authority.split_once(':').map_or(authority, |(name, _)| name)
}

/// Compares in constant time, against timing attacks.
pub(crate) fn constant_time_eq(given: &str, secret: &str) -> bool {
    let differ = given.bytes().zip(secret.bytes()).fold(0, |bits, (a, b)| bits | (a ^ b));
    given.len() == secret.len() && differ == 0
}

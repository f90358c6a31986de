//! Server URLs and credentials, kept apart so that nothing printed contains a secret.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr};

use crate::epoch::ConnectionEpoch;
use crate::{ClusterError, Log};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(2);

/// Server URLs and credentials.
#[derive(Clone, Default)]
pub struct Access {
    servers: Vec<String>,
    /// User name.
    pub user: Option<String>,
    /// Password of the user.
    pub password: Option<String>,
    /// Token, instead of a user.
    pub token: Option<String>,
    /// PEM file of the private CA that signed the server's certificate; implies TLS.
    pub ca: Option<PathBuf>,
}

/// Without credentials.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("servers", &self.servers).finish_non_exhaustive()
    }
}

impl Access {
    /// Parses `nats://HOST:PORT` (or `tls://`, or several separated by commas), with `USER:PASSWORD@` or
    /// `TOKEN@` before the host where the server requires them.
    ///
    /// ```
    /// use tablero_cluster::Access;
    /// let access = Access::new("nats://ana:s%23cret@example.org").unwrap();
    /// assert_eq!(access.url(), "nats://example.org");
    /// assert_eq!(access.password.as_deref(), Some("s#cret"));
    /// ```
    pub fn new(urls: &str) -> Result<Self, ClusterError> {
        let mut access = Self::default();
        for url in urls.split(',').map(str::trim) {
            let (scheme, rest) = url.split_once("://").unwrap_or(("nats", url));
            let (secret, host) = match rest.rsplit_once('@') {
                Some((secret, host)) => (Some(secret), host),
                None => (None, rest),
            };
            match secret.map(|secret| secret.split_once(':').ok_or(secret)) {
                Some(Ok((user, password))) => {
                    access.user = Some(decode(user));
                    access.password = Some(decode(password));
                }
                Some(Err(token)) => access.token = Some(decode(token)),
                None => {}
            }
            let server = format!("{scheme}://{host}");
            let is_known = matches!(scheme, "nats" | "tls");
            if !is_known || host.is_empty() || server.parse::<ServerAddr>().is_err() {
                return Err(ClusterError::InvalidUrl(format!(
                    "invalid server URL `{server}`: expected nats://HOST:4222 or tls://HOST:4222"
                )));
            }
            access.servers.push(server);
        }
        Ok(access)
    }

    /// The server URLs, without credentials.
    pub fn url(&self) -> String {
        self.servers.join(",")
    }

    /// Connects, as client `name` in the server's monitoring. Reconnects automatically.
    pub(crate) async fn connect(
        &self,
        name: &str,
        log: &Log,
    ) -> Result<(Client, ConnectionEpoch), ClusterError> {
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECT_TIMEOUT)
            .request_timeout(Some(CONNECT_TIMEOUT))
            .ping_interval(Duration::from_secs(10))
            .reconnect_delay_callback(reconnect_delay);
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        if let Some(user) = &self.user {
            options =
                options.user_and_password(user.clone(), self.password.clone().unwrap_or_default());
        }
        if let Some(ca) = &self.ca {
            check_certificate(ca)?;
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        let (url, log) = (self.url(), log.clone());
        let (epoch, reconnects) = ConnectionEpoch::new();
        let is_lost = AtomicBool::new(false);
        options = options.event_callback(move |event| {
            match event {
                Event::Disconnected if !is_lost.swap(true, Ordering::Relaxed) => {
                    log(&format!("lost the connection to {url}; reconnecting"));
                }
                Event::Connected if is_lost.swap(false, Ordering::Relaxed) => {
                    log(&format!("reconnected to {url}"));
                    reconnects.send_modify(|epoch| *epoch += 1);
                }
                _ => {}
            }
            async {}
        });
        let servers: Vec<ServerAddr> =
            self.servers.iter().filter_map(|server| server.parse().ok()).collect();
        let client = options.connect(servers).await.map_err(|error| {
            let (server, reason) = (self.url(), with_causes(&error));
            match error.kind() {
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    ClusterError::AccessDenied { server, reason }
                }
                _ if reason.to_lowercase().contains("authorization") => {
                    ClusterError::AccessDenied { server, reason }
                }
                // As rustls begins what is wrong with a certificate.
                _ if reason.contains("invalid peer certificate") => {
                    ClusterError::Untrusted { server, reason }
                }
                _ => ClusterError::Unreachable { server, reason },
            }
        })?;
        Ok((client, epoch))
    }
}

/// Fails unless the file has a certificate: the client would ignore it, and trust nobody.
fn check_certificate(path: &Path) -> Result<(), ClusterError> {
    const MAX_BYTES: u64 = 1 << 20;
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut text));
    let file = path.display();
    match read {
        Err(error) => Err(ClusterError::File(format!("cannot read {file}: {error}"))),
        Ok(_) if !String::from_utf8_lossy(&text).contains("-----BEGIN CERTIFICATE-----") => {
            Err(ClusterError::File(format!("no certificate in {file}: expected a PEM file")))
        }
        Ok(_) => Ok(()),
    }
}

/// Linear backoff; the first attempt, number 1, is immediate.
fn reconnect_delay(attempt: usize) -> Duration {
    MAX_RECONNECT_DELAY.min(Duration::from_millis(50 * attempt.saturating_sub(1) as u64))
}

/// An error with the messages of its sources.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let reason = error.to_string();
        if !text.contains(&reason) {
            text = format!("{text}: {reason}");
        }
        cause = error.source();
    }
    text
}

/// Decodes percent-encoding such as `%40`.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let digits = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                plain.push(decoded);
                at += 3;
            }
            None => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_removed_from_urls() {
        let access = Access::new("nats://ana:p%40ss:w@a.example:4222,tls://b.example").unwrap();
        assert_eq!(access.url(), "nats://a.example:4222,tls://b.example");
        assert_eq!(
            (access.user.as_deref(), access.password.as_deref()),
            (Some("ana"), Some("p@ss:w"))
        );
        let access = Access::new("nats://t0ken%@localhost").unwrap();
        assert_eq!((access.token.as_deref(), access.user), (Some("t0ken%"), None));
        assert_eq!(Access::new("localhost").unwrap().url(), "nats://localhost");
    }

    #[test]
    fn the_first_reconnect_is_immediate() {
        let delays = [1, 2, 3, 1000].map(|attempt| reconnect_delay(attempt).as_millis());
        assert_eq!(delays, [0, 50, 100, 2000]);
    }

    #[test]
    fn debug_output_and_errors_contain_no_secret() {
        let access = Access::new("nats://ana:hidden@localhost").unwrap();
        assert!(!format!("{access:?}").contains("hidden"));
        for wrong in ["http://ana:hidden@host", "nats://ana:hidden@", "", "nats://a:hidden@b c"] {
            let error = Access::new(wrong).unwrap_err().to_string();
            assert!(error.contains("nats://HOST") && !error.contains("hidden"), "{error}");
        }
    }
}

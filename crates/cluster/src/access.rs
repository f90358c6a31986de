//! How to get to the server, and who we are there. Secrets are kept apart from what is shown.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr};

use crate::line::Line;
use crate::{ClusterError, Notes};

const CONNECT: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Where the server is, and who we are there.
#[derive(Clone, Default)]
pub struct Access {
    servers: Vec<String>,
    /// The user's name.
    pub user: Option<String>,
    /// The user's password.
    pub password: Option<String>,
    /// A token, instead of a user.
    pub token: Option<String>,
    /// A file with the certificate of a private authority that signed the server's; implies TLS.
    pub ca: Option<PathBuf>,
}

/// Shows the servers only.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("servers", &self.servers).finish_non_exhaustive()
    }
}

impl Access {
    /// Reads `nats://HOST:PORT` (or `tls://`, or several with commas in between), with `USER:PASSWORD@`
    /// or `TOKEN@` before the host if the server asks for them.
    ///
    /// ```
    /// use tablero_cluster::Access;
    /// let access = Access::new("nats://ana:s%23cret@example.org").unwrap();
    /// assert_eq!(access.place(), "nats://example.org");
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
            let place = format!("{scheme}://{host}");
            let is_known = matches!(scheme, "nats" | "tls");
            if !is_known || host.is_empty() || place.parse::<ServerAddr>().is_err() {
                return Err(ClusterError::Address(format!(
                    "`{place}` is no address of a NATS server; nats://HOST:4222 or tls://HOST:4222 is"
                )));
            }
            access.servers.push(place);
        }
        Ok(access)
    }

    /// The servers, without secrets.
    pub fn place(&self) -> String {
        self.servers.join(",")
    }

    /// Connects; `name` is how the server's own monitoring calls us. A connection that is lost later
    /// comes back by itself.
    pub(crate) async fn connect(
        &self,
        name: &str,
        notes: &Notes,
    ) -> Result<(Client, Line), ClusterError> {
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECT)
            .request_timeout(Some(CONNECT))
            .ping_interval(Duration::from_secs(10))
            .reconnect_delay_callback(pause_before);
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        if let Some(user) = &self.user {
            options =
                options.user_and_password(user.clone(), self.password.clone().unwrap_or_default());
        }
        if let Some(ca) = &self.ca {
            if !ca.is_file() {
                return Err(ClusterError::File(format!("there is no file {}", ca.display())));
            }
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        let (place, notes) = (self.place(), notes.clone());
        let (line, losses) = Line::new();
        let is_lost = AtomicBool::new(false);
        options = options.event_callback(move |event| {
            match event {
                Event::Disconnected if !is_lost.swap(true, Ordering::Relaxed) => {
                    notes(&format!("lost the connection to {place}; trying again"));
                }
                Event::Connected if is_lost.swap(false, Ordering::Relaxed) => {
                    notes(&format!("connected to {place} again"));
                    losses.send_modify(|lost| *lost += 1);
                }
                _ => {}
            }
            async {}
        });
        let servers: Vec<ServerAddr> =
            self.servers.iter().filter_map(|server| server.parse().ok()).collect();
        let client = options.connect(servers).await.map_err(|error| {
            let (place, problem) = (self.place(), with_causes(&error));
            match error.kind() {
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    ClusterError::Denied { place, problem }
                }
                _ if problem.to_lowercase().contains("authorization") => {
                    ClusterError::Denied { place, problem }
                }
                _ => ClusterError::Unreachable { place, problem },
            }
        })?;
        Ok((client, line))
    }
}

/// How long to wait before an attempt to connect; the first one, number 1, is made at once.
fn pause_before(attempt: usize) -> Duration {
    LONGEST_PAUSE.min(Duration::from_millis(50 * attempt.saturating_sub(1) as u64))
}

/// What went wrong, and why, as far as it is known.
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

/// Undoes `%40` and the like.
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
    fn secrets_are_taken_out_of_addresses() {
        let access = Access::new("nats://ana:p%40ss:w@a.example:4222,tls://b.example").unwrap();
        assert_eq!(access.place(), "nats://a.example:4222,tls://b.example");
        assert_eq!(
            (access.user.as_deref(), access.password.as_deref()),
            (Some("ana"), Some("p@ss:w"))
        );
        let access = Access::new("nats://t0ken%@localhost").unwrap();
        assert_eq!((access.token.as_deref(), access.user), (Some("t0ken%"), None));
        assert_eq!(Access::new("localhost").unwrap().place(), "nats://localhost");
    }

    #[test]
    fn the_first_attempt_is_made_at_once() {
        let pauses = [1, 2, 3, 1000].map(|attempt| pause_before(attempt).as_millis());
        assert_eq!(pauses, [0, 50, 100, 2000]);
    }

    #[test]
    fn what_is_shown_holds_no_secret() {
        let access = Access::new("nats://ana:hidden@localhost").unwrap();
        assert!(!format!("{access:?}").contains("hidden"));
        for wrong in ["http://ana:hidden@host", "nats://ana:hidden@", "", "nats://a:hidden@b c"] {
            let error = Access::new(wrong).unwrap_err().to_string();
            assert!(error.contains("nats://HOST") && !error.contains("hidden"), "{error}");
        }
    }
}

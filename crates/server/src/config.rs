use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use axum::http::Uri;

use crate::api::SearchLimits;

/// A server's configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The address to listen on. Beyond loopback, requests need a random token.
    pub host: IpAddr,
    /// The address that browsers open where a proxy or a host name is in between. Requests then need a
    /// token, also on loopback.
    pub public_url: Option<PublicUrl>,
    /// The certificate, to speak TLS.
    pub tls: Option<TlsFiles>,
    /// The port; 0 picks a free one.
    pub port: u16,
    /// The data folder: games and jobs.
    pub data: PathBuf,
    /// Whether player lines from the page may start external engines. Anyone who can reach the server
    /// can then run any program as you.
    pub allow_engines: bool,
    /// Limits of a single search.
    pub limits: SearchLimits,
    /// Memory budget in megabytes for the hash tables and trees of all engines, in live games and in jobs. Of
    /// idle ones the least recently used are evicted first.
    pub memory_mb: usize,
    /// How long the engines of an idle game keep their memory.
    pub idle_timeout: Duration,
    /// Limits of connections.
    pub connections: ConnectionLimits,
}

/// The files of a certificate, in PEM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsFiles {
    /// The certificate and its chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// The address of a server as browsers see it: `https://play.example.org`, without a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicUrl {
    origin: String,
    host: String,
}

impl PublicUrl {
    /// Scheme, host and port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The host name.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether browsers use TLS.
    pub fn is_secure(&self) -> bool {
        self.origin.starts_with("https:")
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a URL like https://play.example.org, not `{text}`");
        let url: Uri = text.parse().map_err(|_| wrong())?;
        let is_known = matches!(url.scheme_str(), Some("http" | "https"));
        let is_bare = url.path() == "/" && url.query().is_none() && !text.contains('#');
        let authority = url.authority().filter(|name| is_known && !name.as_str().contains('@'));
        let authority = authority.ok_or_else(wrong)?;
        if !is_bare {
            return Err(format!("{}, without a path", wrong()));
        }
        Ok(Self {
            origin: format!("{}://{authority}", url.scheme_str().unwrap_or_default()),
            host: authority.host().trim_matches(['[', ']']).into(),
        })
    }
}

/// Limits of connections, so that clients that stall lock nobody out.
///
/// Where a number is reached, the connection that has waited longest for a request is closed for a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionLimits {
    /// Connections in total.
    pub total: usize,
    /// Connections per client address (per /64 network of IPv6). All clients behind a reverse proxy have
    /// the proxy's.
    pub per_address: usize,
    /// How long the head of a request may take to arrive, and a connection may be idle before it.
    pub header_timeout: Duration,
    /// How long the body of a request may take to arrive; large ones get more.
    pub body_timeout: Duration,
    /// How long a WebSocket may be silent. The server pings it in the meantime.
    pub socket_timeout: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            total: 1000,
            per_address: 250,
            header_timeout: Duration::from_secs(20),
            body_timeout: Duration::from_secs(20),
            socket_timeout: Duration::from_secs(60),
        }
    }
}

/// The default port.
pub const DEFAULT_PORT: u16 = 7117;

/// The budget where a quarter of the machine's memory is more than that or unknown.
const DEFAULT_MEMORY_MB: usize = 1024;

impl Config {
    /// The default configuration: loopback, [`DEFAULT_PORT`], limits by this machine's cores and memory.
    pub fn new(data: PathBuf) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            host: IpAddr::from([127, 0, 0, 1]),
            public_url: None,
            tls: None,
            port: DEFAULT_PORT,
            data,
            allow_engines: false,
            limits: SearchLimits {
                threads: cores,
                hash_mb: 512,
                move_ms: 30_000,
                analysis_ms: 600_000,
                multipv: 64,
                searches: cores,
            },
            memory_mb: tablero_core::machine_memory().map_or(DEFAULT_MEMORY_MB, |bytes| {
                // A quarter leaves room for other programs.
                ((bytes / 4) >> 20).min(DEFAULT_MEMORY_MB as u64) as usize
            }),
            idle_timeout: Duration::from_secs(60),
            connections: ConnectionLimits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_urls_have_a_host_and_no_path() {
        let url: PublicUrl = "https://play.example.org:8443/".parse().expect("a URL");
        assert_eq!(
            (url.origin(), url.host()),
            ("https://play.example.org:8443", "play.example.org")
        );
        assert!(url.is_secure());
        let url: PublicUrl = "http://[2001:db8::1]:7117".parse().expect("a URL");
        assert_eq!((url.host(), url.is_secure()), ("2001:db8::1", false));
        for text in [
            "",
            "play.example.org",
            "ftp://a.b",
            "https://a.b/c",
            "https://a.b/?x",
            "https://u@a.b",
            "https://",
        ] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
    }
}

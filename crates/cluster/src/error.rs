use thiserror::Error;

/// Why the cluster cannot be used. No message contains credentials.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The server's URL is invalid.
    #[error("{0}")]
    InvalidUrl(String),
    /// The server cannot be reached.
    #[error("cannot reach {server}: {reason}; is nats-server running there?")]
    Unreachable {
        /// The server's URL.
        server: String,
        /// The connection error.
        reason: String,
    },
    /// The server refused the credentials.
    #[error("{server} denied access: {reason}; give a user and password, or a token (see --help)")]
    AccessDenied {
        /// The server's URL.
        server: String,
        /// The server's message.
        reason: String,
    },
    /// The server's certificate is not trusted.
    #[error(
        "the certificate of {server} is not trusted: {reason}; give the one of its authority \
         (--nats-ca FILE)"
    )]
    Untrusted {
        /// The server's URL.
        server: String,
        /// The TLS error.
        reason: String,
    },
    /// The server runs without JetStream.
    #[error("{server} has no JetStream: {reason}; start it with `nats-server -js`")]
    NoJetStream {
        /// The server's URL.
        server: String,
        /// The server's message.
        reason: String,
    },
    /// A request to the server failed.
    #[error("{0}")]
    Server(String),
    /// A file that tasks name cannot be read or stored.
    #[error("{0}")]
    File(String),
    /// A batch exceeded [`Settings::task_timeout`](crate::Settings::task_timeout).
    #[error("{0}; this worker exits so that the tasks are redelivered")]
    TaskTimeout(String),
}

impl ClusterError {
    /// For `map_err`: a failed request, with what was attempted.
    pub(crate) fn server<E: std::fmt::Display>(attempt: &str) -> impl FnOnce(E) -> Self {
        move |error| Self::Server(format!("{attempt}: {error}"))
    }
}

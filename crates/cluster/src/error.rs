use thiserror::Error;

/// Why the cluster could not be used. No message holds a secret.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The server's address cannot be understood.
    #[error("{0}")]
    Address(String),
    /// The server cannot be reached.
    #[error("cannot reach {place}: {problem}; is nats-server running there?")]
    Unreachable {
        /// The server.
        place: String,
        /// What went wrong.
        problem: String,
    },
    /// The server does not let us in.
    #[error(
        "{place} does not let us in: {problem}; give a user and password, or a token (see --help)"
    )]
    Denied {
        /// The server.
        place: String,
        /// What it said.
        problem: String,
    },
    /// The server has no storage for tasks and results.
    #[error("{place} has no JetStream: {problem}; start it with `nats-server -js`")]
    NoJetStream {
        /// The server.
        place: String,
        /// What it said.
        problem: String,
    },
    /// The server, or the connection, failed.
    #[error("{0}")]
    Server(String),
    /// A file that tasks need cannot be read or kept.
    #[error("{0}")]
    File(String),
    /// A task took so long that the worker gave it up.
    #[error("{0}; this worker ends, so that the task is given to another")]
    Hung(String),
}

impl ClusterError {
    /// For `map_err`: what was tried when the server failed.
    pub(crate) fn server<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> Self {
        move |error| Self::Server(format!("{what}: {error}"))
    }
}

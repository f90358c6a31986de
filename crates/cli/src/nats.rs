//! Options of the connection to a cluster.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use tablero_cluster::{Access, Cluster, Settings};

use crate::out::{self, usage};

const URL: &str = "TABLERO_NATS";
const CA: &str = "TABLERO_NATS_CA";
const USER: &str = "TABLERO_NATS_USER";
const PASSWORD: &str = "TABLERO_NATS_PASSWORD";
const TOKEN: &str = "TABLERO_NATS_TOKEN";

/// The connection to a cluster. Passwords and tokens come from the URL, a file or the environment.
#[derive(Args, Clone)]
pub(crate) struct NatsArgs {
    /// NATS server of the cluster: nats://HOST:4222 or tls://HOST:4222.
    #[arg(long, value_name = "URL", env = URL, hide_env_values = true)]
    #[arg(help_heading = "Cluster")]
    nats: Option<String>,
    /// User name at the server.
    #[arg(long, value_name = "NAME", env = USER, hide_env_values = true)]
    #[arg(help_heading = "Cluster")]
    nats_user: Option<String>,
    /// File with the password [default: $TABLERO_NATS_PASSWORD].
    #[arg(long, value_name = "FILE", help_heading = "Cluster")]
    nats_password_file: Option<PathBuf>,
    /// File with an access token [default: $TABLERO_NATS_TOKEN].
    #[arg(long, value_name = "FILE", help_heading = "Cluster")]
    nats_token_file: Option<PathBuf>,
    /// Certificate of the CA that signed the server's; implies TLS.
    #[arg(long, value_name = "FILE", env = CA, help_heading = "Cluster")]
    nats_ca: Option<PathBuf>,
}

impl NatsArgs {
    /// Options from the environment alone.
    pub(crate) fn from_env() -> Self {
        Self {
            nats: env::var(URL).ok(),
            nats_user: env::var(USER).ok(),
            nats_password_file: None,
            nats_token_file: None,
            nats_ca: env::var_os(CA).map(PathBuf::from),
        }
    }

    /// Address and credentials of the cluster, if one is configured.
    pub(crate) fn access(&self) -> anyhow::Result<Option<Access>> {
        let Some(url) = self.nats.as_deref().filter(|url| !url.is_empty()) else { return Ok(None) };
        let mut access = Access::new(url).map_err(usage)?;
        let user = access.user.take().or_else(|| self.nats_user.clone());
        let password = secret(self.nats_password_file.as_deref(), PASSWORD)?;
        let token = secret(self.nats_token_file.as_deref(), TOKEN)?;
        access.password = access.password.take().or(password).filter(|_| user.is_some());
        access.token = access.token.take().or(token).filter(|_| user.is_none());
        access.user = user;
        access.ca.clone_from(&self.nats_ca);
        Ok(Some(access))
    }

    /// Address and credentials, for commands that need a cluster.
    pub(crate) fn required(&self) -> anyhow::Result<Access> {
        self.access()?
            .ok_or_else(|| usage("no cluster: use --nats nats://HOST:4222 or set TABLERO_NATS"))
    }
}

/// Connects; connection events are logged to standard error.
pub(crate) fn connect(access: &Access) -> Result<Cluster, tablero_cluster::ClusterError> {
    Cluster::connect(access, Settings::default(), Arc::new(|text: &str| out::note(text)))
}

fn secret(file: Option<&Path>, variable: &str) -> anyhow::Result<Option<String>> {
    let Some(file) = file else { return Ok(env::var(variable).ok()) };
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Some(text.trim().to_owned()))
}

/// Moves credentials in a URL from the arguments, which all users of the machine can read, to the
/// environment, and executes this program again.
#[cfg(unix)]
pub(crate) fn hide_secrets() {
    use std::os::unix::process::CommandExt;

    let mut arguments: Vec<_> = env::args_os().skip(1).collect();
    let mut secrets = Vec::new();
    let mut is_url_next = false;
    for argument in &mut arguments {
        let text = argument.to_string_lossy().into_owned();
        let url = if is_url_next { Some(text.as_str()) } else { text.strip_prefix("--nats=") };
        if let Some(access) = url.and_then(|url| Access::new(url).ok()) {
            let found = [(USER, access.user.clone()), (PASSWORD, access.password.clone())];
            let found = found.into_iter().chain([(TOKEN, access.token.clone())]);
            secrets.extend(found.filter_map(|(name, secret)| Some((name, secret?))));
            let prefix = if is_url_next { "" } else { "--nats=" };
            *argument = format!("{prefix}{}", access.url()).into();
        }
        is_url_next = text == "--nats";
    }
    if secrets.is_empty() {
        return;
    }
    if let Ok(program) = env::current_exe() {
        let problem = std::process::Command::new(program).args(arguments).envs(secrets).exec();
        out::note(format_args!(
            "the password remains visible to other users of this machine: {problem}"
        ));
    }
}

/// Not supported on this platform.
#[cfg(not(unix))]
pub(crate) fn hide_secrets() {}

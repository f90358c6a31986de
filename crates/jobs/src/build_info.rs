//! What the program was built from. Results may depend on it, so jobs record it and workers must match it.

use std::sync::OnceLock;

/// The commit and date that the program was built from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildInfo {
    /// Short commit hash, with `-dirty` if files had changed; empty if unknown.
    pub commit: &'static str,
    /// Date of the commit, `YYYY-MM-DD`; empty if unknown.
    pub date: &'static str,
}

static BUILD_INFO: OnceLock<BuildInfo> = OnceLock::new();

impl BuildInfo {
    /// The version of the crates.
    pub const VERSION: &'static str = env!("CARGO_PKG_VERSION");

    /// Makes this the program's build information; the first call counts. Only the program's own crate knows its
    /// commit: any other would be compiled again after every commit.
    pub fn install(self) {
        let _ = BUILD_INFO.set(self);
    }

    /// What was [installed](Self::install); unknown in tests and other people's programs that install nothing.
    pub fn current() -> Self {
        *BUILD_INFO.get().unwrap_or(&Self { commit: "", date: "" })
    }

    /// Identifies the build: version, commit and processor level, as in `0.1.0-1a2b3c4d5e-x86-64-v3`.
    pub fn id(self) -> String {
        let parts = [Self::VERSION, self.commit, Self::processor()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    }

    /// The x86-64 level whose instructions the build uses, as compilers name it; other processors by their name.
    pub const fn processor() -> &'static str {
        if cfg!(all(
            target_feature = "avx512f",
            target_feature = "avx512bw",
            target_feature = "avx512cd",
            target_feature = "avx512dq",
            target_feature = "avx512vl"
        )) {
            "x86-64-v4"
        } else if cfg!(all(
            target_feature = "avx2",
            target_feature = "bmi2",
            target_feature = "fma"
        )) {
            "x86-64-v3"
        } else if cfg!(target_feature = "sse4.2") {
            "x86-64-v2"
        } else if cfg!(target_arch = "x86_64") {
            "x86-64"
        } else {
            std::env::consts::ARCH
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_what_is_known() {
        let known = BuildInfo { commit: "1a2b3c4", date: "2026-01-02" };
        assert!(known.id().starts_with(concat!(env!("CARGO_PKG_VERSION"), "-1a2b3c4-")));
        let unknown = BuildInfo { commit: "", date: "" };
        assert!(!unknown.id().contains("--"), "{}", unknown.id());
    }
}

//! Files with players that the user brought: evolved genomes, weights, networks. Player lines of the page name
//! them `file:NAME`, `file:NAME#3` for the third individual of a population.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tablero_core::{OptionValues, Permissions, PlayerLineError, PlayerSetup};
use tablero_genomes::{Genomes, read_bytes};
use tablero_jobs::{atomic_write, remove_stale_temporaries};
use tablero_nets::{NetError, NetKind, Weights};
use tablero_registry::GameEntry;

use crate::api::{PlayerFile, PlayerFileKind, Problem};
use crate::error::{ApiError, ApiResult, find_game};
use crate::game_file::now;

/// The prefix of their names in player lines.
pub(crate) const PREFIX: &str = "file:";
/// The most bytes of a file: a residual network of 20 blocks with 256 filters has 90 MB.
pub(crate) const MAX_BYTES: usize = 128 << 20;

/// The extensions of player files.
const EXTENSIONS: [&str; 6] = ["evl", "genes", "weights", "safetensors", "keras", "h5"];
/// Limits against abuse.
const MAX_FILES: usize = 1000;
const MAX_NAME: usize = 80;

/// The player files of a data folder: `players/NAME`, described by `players/NAME.json`, which is written last
/// and deleted first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlayerFiles {
    folder: PathBuf,
}

/// Held while a file is added, so that two get different names.
static ADDING: Mutex<()> = Mutex::new(());

impl PlayerFiles {
    /// The files of the data folder `data`.
    pub(crate) fn in_folder(data: &Path) -> Self {
        Self { folder: data.join("players") }
    }

    /// All files, newest first. Files that cannot be read are skipped.
    pub(crate) fn list(&self) -> ApiResult<Vec<PlayerFile>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(ApiError::internal(error)),
        };
        let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        let described = entries.filter_map(name).filter_map(|name| {
            let name = name.strip_suffix(".json")?;
            self.find(name)
        });
        let mut files: Vec<PlayerFile> = described.collect();
        files.sort_by(|a, b| b.added.total_cmp(&a.added).then_with(|| a.name.cmp(&b.name)));
        Ok(files)
    }

    /// Checks and keeps a file. The same content under the same name is kept once.
    pub(crate) fn add(&self, name: &str, bytes: &[u8]) -> ApiResult<PlayerFile> {
        let (stem, extension) = safe_name(name)?;
        fs::create_dir_all(&self.folder).map_err(ApiError::internal)?;
        let _adding = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
        remove_stale_temporaries(&self.folder);
        if self.list()?.len() >= MAX_FILES {
            return Err(Problem::TooManyPlayerFiles { max: MAX_FILES }.into());
        }
        let mut file = self.check(&extension, bytes)?;
        for copy in 1.. {
            let number = if copy == 1 { String::new() } else { format!("-{copy}") };
            file.name = format!("{stem}{number}.{extension}");
            let Some(known) = self.find(&file.name) else { break };
            if fs::read(self.path(&file.name)).is_ok_and(|known| known == bytes) {
                return Ok(known);
            }
        }
        file.player = file.player.replace(FILE, &format!("{PREFIX}{}", file.name));
        atomic_write(&self.path(&file.name), bytes)?;
        let text = serde_json::to_vec_pretty(&file).map_err(ApiError::internal)?;
        atomic_write(&self.about(&file.name), &text)?;
        Ok(file)
    }

    /// Deletes a file.
    pub(crate) fn delete(&self, name: &str) -> ApiResult<()> {
        self.described(name)?;
        fs::remove_file(self.about(name)).map_err(ApiError::internal)?;
        fs::remove_file(self.path(name)).map_err(ApiError::internal)
    }

    /// The genomes of a file.
    pub(crate) fn genomes(&self, name: &str) -> ApiResult<Genomes> {
        self.described(name)?;
        let genomes = tablero_genomes::read_file(&self.path(name))?;
        validated(genomes).map(|(_, genomes)| genomes)
    }

    /// The value of an option that names a file (without the prefix): its path, with the individual.
    pub(crate) fn resolve(
        &self,
        entry: &'static dyn GameEntry,
        name: &str,
    ) -> Result<String, Problem> {
        let (name, individual) = match name.rsplit_once('#') {
            Some((name, individual)) => (name, Some(individual)),
            None => (name, None),
        };
        let file = self.described(name)?;
        let expected = entry.game().name();
        if file.game != expected {
            let (found, expected) = (file.game, expected.into());
            return Err(Problem::PlayerFileOfOtherGame { file: file.name, found, expected });
        }
        let path = self.path(name);
        let Some(individual) = individual else { return Ok(path.display().to_string()) };
        tablero_genomes::read_file(&path)?.individual(individual)?;
        Ok(format!("{}#{individual}", path.display()))
    }

    fn described(&self, name: &str) -> Result<PlayerFile, Problem> {
        self.find(name).ok_or_else(|| Problem::PlayerFileNotFound { file: name.into() })
    }

    /// The description of a file, if there is one.
    fn find(&self, name: &str) -> Option<PlayerFile> {
        // Names come from requests: they must not escape the folder.
        let is_ours = safe_name(name).is_ok_and(|(stem, rest)| format!("{stem}.{rest}") == name);
        let text = fs::read(self.about(name)).ok().filter(|_| is_ours)?;
        let file: PlayerFile = serde_json::from_slice(&text).ok()?;
        (file.name == name && self.path(name).is_file()).then_some(file)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn about(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Checks a file's content; its description still lacks the name.
    fn check(&self, extension: &str, bytes: &[u8]) -> ApiResult<PlayerFile> {
        match extension {
            "safetensors" | "keras" | "h5" => network(bytes),
            "weights" => self.weights(bytes),
            _ => genomes(bytes),
        }
    }

    /// Weights have formats of their own: whichever player can be built with them tells.
    fn weights(&self, bytes: &[u8]) -> ApiResult<PlayerFile> {
        let file = TemporaryFile::write(&self.folder, bytes)?;
        let value = file.0.display().to_string();
        let permissions = Permissions { files: true, programs: false };
        let setup = PlayerSetup { permissions, hash_mb: Some(1), ..PlayerSetup::default() };
        let mut problem = Problem::NoWeights;
        for entry in tablero_registry::games() {
            let kinds = entry.player_kinds();
            for kind in kinds.0.iter().filter(|kind| !kind.starts_program) {
                let reads_weights = kind.options.iter().any(|option| {
                    option.name == WEIGHTS && matches!(option.values, OptionValues::NameOrFile(_))
                });
                if !reads_weights {
                    continue;
                }
                let line = format!("{} {WEIGHTS}=\"{value}\"", kind.name);
                match entry.build(&line, &setup) {
                    Ok(_) => {
                        let player = format!("{} {WEIGHTS}={FILE}", kind.name);
                        return Ok(describe(*entry, PlayerFileKind::Weights, player, bytes));
                    }
                    Err(PlayerLineError::InvalidFile { reason, .. }) => {
                        problem = Problem::InvalidWeights { reason: reason.replace(&value, "") };
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Err(problem.into())
    }
}

/// The option of player lines that takes a weights file.
const WEIGHTS: &str = "weights";
/// Stands for the file in a player line until it has a name.
const FILE: &str = "{file}";

fn genomes(bytes: &[u8]) -> ApiResult<PlayerFile> {
    let (entry, genomes) = validated(read_bytes(bytes.to_vec())?)?;
    let player = format!("alphabeta depth=4 eval={FILE}");
    let mut file = describe(entry, PlayerFileKind::Genomes, player, bytes);
    file.generations = Some(genomes.provenance.generations);
    file.individuals = Some(genomes.population.len());
    file.detail = genomes.kind;
    Ok(file)
}

/// Genomes that their game can read, and the game.
fn validated(genomes: Genomes) -> ApiResult<(&'static dyn GameEntry, Genomes)> {
    let entry = find_game(&genomes.game)?;
    let kind = entry.evolution().genome_kind(&genomes.kind)?;
    Ok((entry, genomes.validated_as(&*kind)?))
}

fn network(bytes: &[u8]) -> ApiResult<PlayerFile> {
    let mut first_error = None;
    for &entry in tablero_registry::games() {
        // A file of Keras does not tell its game: the first one that it fits.
        match Weights::from_any_bytes(bytes, &entry.learning().spec().encoding) {
            Ok(weights) => return Ok(describe_network(entry, &weights, bytes)),
            Err(NetError::WrongGame { found, .. }) => {
                find_game(&found)?;
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    Err(match first_error {
        Some(NetError::Kind(error)) => error.into(),
        Some(error) => Problem::InvalidNetworkFile { reason: error.to_string() }.into(),
        None => Problem::NoWeights.into(),
    })
}

fn describe_network(entry: &dyn GameEntry, weights: &Weights, bytes: &[u8]) -> PlayerFile {
    let player = match weights.kind {
        // Only values: they replace playouts.
        NetKind::Mlp(_) => format!("mcts net={FILE} iterations=500"),
        NetKind::Resnet(_) => format!("puct net={FILE} sims=200"),
    };
    let mut file = describe(entry, PlayerFileKind::Network, player, bytes);
    file.detail = weights.kind.to_string();
    file
}

fn describe(
    entry: &dyn GameEntry,
    kind: PlayerFileKind,
    player: String,
    bytes: &[u8],
) -> PlayerFile {
    PlayerFile {
        name: String::new(),
        game: entry.game().name().into(),
        kind,
        detail: String::new(),
        player,
        generations: None,
        individuals: None,
        bytes: bytes.len() as u64,
        added: now(),
    }
}

/// The stem and extension of a name, of characters that are safe in paths, URLs and player lines.
fn safe_name(name: &str) -> ApiResult<(String, String)> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let extension = extension.to_ascii_lowercase();
    if !EXTENSIONS.contains(&&*extension) {
        let available = EXTENSIONS.iter().map(|extension| format!(".{extension}")).collect();
        return Err(Problem::NotAPlayerFile { name: name.into(), available }.into());
    }
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let stem: String = stem.chars().map(safe).take(MAX_NAME).collect();
    let stem = stem.trim_matches('.');
    Ok((if stem.is_empty() { "player".into() } else { stem.into() }, extension))
}

/// A file that is removed when dropped.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn write(folder: &Path, bytes: &[u8]) -> ApiResult<Self> {
        // Named like those of `atomic_write`, so that leftovers of a killed process are removed.
        let name = format!(".upload.{}-{}.tmp", std::process::id(), crate::random::random_id());
        let file = Self(folder.join(name));
        fs::write(&file.0, bytes).map_err(ApiError::internal)?;
        Ok(file)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // A leftover does no harm.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        let name = |text: &str| safe_name(text).map(|(stem, rest)| format!("{stem}.{rest}")).ok();
        assert_eq!(name("player100aSCI.evl").as_deref(), Some("player100aSCI.evl"));
        assert_eq!(name("../../etc/x y#3.GENES").as_deref(), Some("x_y_3.genes"));
        assert_eq!(name("C:\\evol\\año.weights").as_deref(), Some("a_o.weights"));
        assert_eq!(name("...evl").as_deref(), Some("player.evl"));
        assert_eq!(name(&format!("{}.evl", "a".repeat(500))).map(|name| name.len()), Some(84));
        for wrong in ["", "evl", "x.json", "x.evl.json", "x.tab"] {
            assert!(name(wrong).is_none(), "{wrong}");
        }
    }
}

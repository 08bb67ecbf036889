//! The lines that cargo prints with `--message-format=json`; knows nothing of what becomes of them.

use std::path::PathBuf;

use serde::Deserialize;

use crate::paths;

/// A target that cargo built or found up to date.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Artifact {
    pub(super) package_id: String,
    pub(super) target: ArtifactTarget,
    pub(super) profile: ArtifactProfile,
    pub(super) executable: Option<PathBuf>,
    pub(super) fresh: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct ArtifactTarget {
    pub(super) kind: Vec<String>,
    pub(super) name: String,
    /// Without `..`: cargo leaves one in when a configuration has one.
    #[serde(deserialize_with = "normal")]
    pub(super) src_path: PathBuf,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct ArtifactProfile {
    pub(super) test: bool,
}

/// A message of rustc, passed on by cargo.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct CompilerMessage {
    pub(super) target: ArtifactTarget,
    pub(super) message: serde_json::Value,
}

/// A line that matters.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub(super) enum CargoMessage {
    CompilerArtifact(Artifact),
    CompilerMessage(CompilerMessage),
    #[serde(other)]
    Other,
}

fn normal<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(paths::normal(&PathBuf::deserialize(deserializer)?))
}

/// All lines of cargo's standard output that have a known shape.
pub(super) fn parse(stdout: &[u8]) -> Vec<CargoMessage> {
    String::from_utf8_lossy(stdout)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

//! File formats of other programs: Keras (`.keras`, `.h5`) and ONNX.

mod hdf5;
mod keras;
mod onnx;
mod onnx_reader;
mod protobuf;
mod zip;

use std::path::Path;

use tablero_core::read_bounded;

use crate::weights::MAX_FILE_LEN;
use crate::{EncodingSpec, NetError, NetKind, Weights};

/// A file format that networks can be written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetFormat {
    /// Our own, for all networks.
    Safetensors,
    /// Keras 3, for MLPs.
    Keras,
    /// Keras' older format, for MLPs.
    H5,
    /// ONNX, for all networks.
    Onnx,
}

impl NetFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Safetensors, Self::Keras, Self::H5, Self::Onnx];

    /// The file extension.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::Keras => "keras",
            Self::H5 => "h5",
            Self::Onnx => "onnx",
        }
    }

    /// The format of a file extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

impl Weights {
    /// Reads a file of any format that can be read, recognized by its content, and checks that it fits the game.
    ///
    /// Keras does not tell what a network is for: its files are taken for networks of this game, with the
    /// [absolute](crate::Mlp::is_absolute) inputs of Otelo if the size fits; likewise ONNX, if its graph is that of one
    /// of our networks, and safetensors that hold no more than tensors with our [names](crate::tensor_specs). Files that
    /// this program wrote are read as what they were.
    pub fn read_any(path: &Path, spec: &EncodingSpec) -> Result<Self, NetError> {
        let io = |source| NetError::Io { path: path.to_owned(), source };
        let bytes = read_bounded(path, MAX_FILE_LEN).map_err(io)?;
        Self::from_any_bytes(&bytes, spec)
            .map_err(|error| NetError::Content(format!("{}: {error}", path.display())))
    }

    /// Reads the content of a file as [`read_any`](Self::read_any) does.
    pub fn from_any_bytes(bytes: &[u8], spec: &EncodingSpec) -> Result<Self, NetError> {
        let weights = if zip::is_zip(bytes) {
            keras::read_keras(bytes, spec)?
        } else if hdf5::is_hdf5(bytes) {
            keras::read_h5(bytes, spec)?
        } else if onnx_reader::is_onnx(bytes) {
            onnx_reader::read_onnx(bytes, spec)?
        } else {
            Self::from_safetensors(bytes, spec)?
        };
        weights.check(spec)?;
        Ok(weights)
    }

    /// Serializes to a file format.
    pub fn to_format(&self, format: NetFormat, spec: &EncodingSpec) -> Result<Vec<u8>, NetError> {
        self.check(spec)?;
        match (format, &self.kind) {
            (NetFormat::Safetensors, _) => Ok(self.to_bytes()),
            (NetFormat::Keras, NetKind::Mlp(mlp)) => keras::write_keras(self, mlp),
            (NetFormat::H5, NetKind::Mlp(mlp)) => keras::write_h5(self, mlp),
            (NetFormat::Onnx, _) => Ok(onnx::write(self, spec)),
            (NetFormat::Keras | NetFormat::H5, kind) => Err(NetError::Content(format!(
                "only fully connected networks (mlp) can be written for Keras, not a {kind}; \
                 .onnx holds every network"
            ))),
        }
    }
}

#[cfg(test)]
mod tests;

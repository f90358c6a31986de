use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where a backend trains: `cpu`, `gpu`, or `gpu:N` by its number, from 0.
///
/// ```
/// use tablero_nets::train::Device;
///
/// assert_eq!("gpu:1".parse(), Ok(Device::Gpu(Some(1))));
/// assert_eq!(Device::Gpu(None).to_string(), "gpu");
/// assert!("cuda".parse::<Device>().is_err_and(|error| error.contains("expected cpu, gpu or gpu:N")));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Device {
    /// The processor.
    Cpu,
    /// A graphics card; none stands for the first one.
    Gpu(Option<usize>),
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Gpu(None) => f.write_str("gpu"),
            Self::Gpu(Some(number)) => write!(f, "gpu:{number}"),
        }
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.strip_prefix("gpu:")?.parse().ok();
        match text {
            "cpu" => Ok(Self::Cpu),
            "gpu" => Ok(Self::Gpu(None)),
            _ => number(text)
                .map(|number| Self::Gpu(Some(number)))
                .ok_or_else(|| "expected cpu, gpu or gpu:N".into()),
        }
    }
}

impl TryFrom<String> for Device {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Device> for String {
    fn from(device: Device) -> Self {
        device.to_string()
    }
}

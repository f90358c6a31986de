//! Refuses to start on a processor that lacks what the build uses, instead of dying with SIGILL.

/// An instruction set extension: its name, whether the build uses it, and its CPUID bit.
#[cfg(target_arch = "x86_64")]
struct Feature {
    name: &'static str,
    used: bool,
    leaf: u32,
    register: Register,
    bit: u32,
}

#[cfg(target_arch = "x86_64")]
enum Register {
    Ebx,
    Ecx,
}

#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($($name:tt $leaf:literal $register:ident $bit:literal;)+) => {
        [$(Feature {
            name: $name,
            used: cfg!(target_feature = $name),
            leaf: $leaf,
            register: Register::$register,
            bit: $bit,
        }),+]
    };
}

/// Those that x86-64-v2, v3 and v4 add, from the newest on.
#[cfg(target_arch = "x86_64")]
const FEATURES: [Feature; 12] = features! {
    "avx512f" 7 Ebx 16;
    "avx512bw" 7 Ebx 30;
    "avx512dq" 7 Ebx 17;
    "avx512vl" 7 Ebx 31;
    "avx2" 7 Ebx 5;
    "bmi2" 7 Ebx 8;
    "bmi1" 7 Ebx 3;
    "fma" 1 Ecx 12;
    "avx" 1 Ecx 28;
    "popcnt" 1 Ecx 23;
    "sse4.2" 1 Ecx 20;
    "ssse3" 1 Ecx 9;
};

/// The first extension that the build uses and this processor lacks.
///
/// `is_x86_feature_detected!` cannot tell: for extensions that the build uses it is the constant `true`.
#[cfg(target_arch = "x86_64")]
pub(crate) fn missing_feature() -> Option<&'static str> {
    use std::arch::x86_64::__cpuid_count;
    let max_leaf = __cpuid_count(0, 0).eax;
    let is_missing = |feature: &&Feature| {
        let registers = __cpuid_count(feature.leaf, 0);
        let word = match feature.register {
            Register::Ebx => registers.ebx,
            Register::Ecx => registers.ecx,
        };
        feature.used && (feature.leaf > max_leaf || word & (1 << feature.bit) == 0)
    };
    FEATURES.iter().find(is_missing).map(|feature| feature.name)
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn missing_feature() -> Option<&'static str> {
    None
}

/// The build for newer processors that an installation keeps beside the portable one, if this processor runs it.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
pub(crate) fn better_build() -> Option<std::path::PathBuf> {
    macro_rules! has {
        ($($feature:tt)+) => { true $(&& std::is_x86_feature_detected!($feature))+ };
    }
    let v3 = has!("avx2" "bmi1" "bmi2" "fma" "lzcnt" "movbe" "f16c");
    let v4 = v3 && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
    // PREFIX/bin/tablero; current_exe follows links.
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?.parent()?.join("lib/tablero");
    let builds = [(v4, "tablero-x86-64-v4"), (v3, "tablero-x86-64-v3")];
    let mut runs = builds.into_iter().filter(|(is_supported, _)| *is_supported);
    runs.find_map(|(_, name)| Some(folder.join(name)).filter(|path| path.is_file()))
}

#[cfg(not(all(target_arch = "x86_64", not(target_feature = "avx2"))))]
pub(crate) fn better_build() -> Option<std::path::PathBuf> {
    None
}

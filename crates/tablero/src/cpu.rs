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

/// Those that x86-64-v2, v3 and v4 add, from the newest on; of `xsave` the bit that says whether the operating system
/// uses it, without which there is no AVX. A static: copying a constant would take vector instructions.
#[cfg(target_arch = "x86_64")]
static FEATURES: [Feature; 17] = features! {
    "avx512f" 7 Ebx 16;
    "avx512bw" 7 Ebx 30;
    "avx512cd" 7 Ebx 28;
    "avx512dq" 7 Ebx 17;
    "avx512vl" 7 Ebx 31;
    "avx2" 7 Ebx 5;
    "bmi2" 7 Ebx 8;
    "bmi1" 7 Ebx 3;
    "fma" 1 Ecx 12;
    "f16c" 1 Ecx 29;
    "movbe" 1 Ecx 22;
    "lzcnt" 0x8000_0001 Ecx 5;
    "avx" 1 Ecx 28;
    "xsave" 1 Ecx 27;
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
    for feature in &FEATURES {
        let max_leaf = __cpuid_count(feature.leaf & 0x8000_0000, 0).eax;
        let registers = __cpuid_count(feature.leaf, 0);
        let word = match feature.register {
            Register::Ebx => registers.ebx,
            Register::Ecx => registers.ecx,
        };
        if feature.used && (feature.leaf > max_leaf || word & (1 << feature.bit) == 0) {
            return Some(feature.name);
        }
    }
    None
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn missing_feature() -> Option<&'static str> {
    None
}

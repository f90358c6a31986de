/// 64-bit FNV-1a: detects accidental corruption, not tampering. Stored in files, so it must never
/// change.
///
/// ```
/// assert_eq!(tablero_core::checksum(b"foobar"), 0x8594_4171_f739_67e8);
/// ```
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

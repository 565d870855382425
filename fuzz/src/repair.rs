//! Makes the checksums of a damaged cooked file right again, so that what stands behind them is tried too.

const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 32;

/// Sets the length of the file and all checksums to what they have to be, as far as the table can be followed.
pub fn repair_checksums(bytes: &mut [u8]) {
    if bytes.len() < HEADER_BYTES {
        return;
    }
    let length = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    let section_count = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let entry_count = section_count.min((bytes.len() - HEADER_BYTES) / ENTRY_BYTES);
    for entry in 0..entry_count {
        let at = HEADER_BYTES + entry * ENTRY_BYTES;
        let number = |bytes: &[u8], at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            usize::try_from(u64::from_le_bytes(word)).unwrap_or(usize::MAX)
        };
        let (offset, length) = (number(bytes, at + 16), number(bytes, at + 24));
        let section = offset.checked_add(length).and_then(|end| bytes.get(offset..end));
        if let Some(section) = section {
            let checksum = crc32fast::hash(section).to_le_bytes();
            bytes[at + 12..at + 16].copy_from_slice(&checksum);
        }
    }
    let table = crc32fast::hash(&bytes[HEADER_BYTES..HEADER_BYTES + entry_count * ENTRY_BYTES]);
    bytes[24..28].copy_from_slice(&table.to_le_bytes());
    let header = crc32fast::hash(&bytes[..28]);
    bytes[28..32].copy_from_slice(&header.to_le_bytes());
}

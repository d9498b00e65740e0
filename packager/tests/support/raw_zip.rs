//! A zip writer for shapes that no library writes, byte by byte.

/// One entry, written as it is described.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawEntry {
    /// Name in both headers.
    pub(crate) name: String,
    /// Contents, stored.
    pub(crate) data: Vec<u8>,
    /// Sizes and CRC-32 follow the data instead of standing before it; `true` inside means with a signature.
    pub(crate) descriptor: Option<bool>,
    /// Extra fields in front of the data.
    pub(crate) local_extra: Vec<u8>,
    /// Extra fields in the directory.
    pub(crate) central_extra: Vec<u8>,
}

impl RawEntry {
    pub(crate) fn new(name: &str, data: &[u8]) -> Self {
        Self { name: name.to_owned(), data: data.to_vec(), ..Self::default() }
    }
}

/// The bytes of a zip of these entries.
pub(crate) fn raw_zip(entries: &[RawEntry]) -> Vec<u8> {
    let mut zip = Vec::new();
    let mut directory = Vec::new();
    for entry in entries {
        let offset = zip.len() as u32;
        let (crc, size) = (crc32(&entry.data), entry.data.len() as u32);
        let flags: u16 = if entry.descriptor.is_some() { 1 << 3 } else { 0 };
        let known = if entry.descriptor.is_some() { [0; 3] } else { [crc, size, size] };
        let header = |sizes: [u32; 3], extra: &[u8]| {
            let mut bytes = Vec::new();
            // Version, flags, stored, 12:00:00, 2025-01-01.
            for value in [20, flags, 0, 0x6000, 0x5a21] {
                bytes.extend(value.to_le_bytes());
            }
            bytes.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
            bytes.extend((entry.name.len() as u16).to_le_bytes());
            bytes.extend((extra.len() as u16).to_le_bytes());
            bytes
        };
        zip.extend(b"PK\x03\x04");
        zip.extend(header(known, &entry.local_extra));
        zip.extend(entry.name.as_bytes());
        zip.extend(&entry.local_extra);
        zip.extend(&entry.data);
        if let Some(signed) = entry.descriptor {
            zip.extend(if signed { &b"PK\x07\x08"[..] } else { b"" });
            zip.extend([crc, size, size].iter().flat_map(|value| value.to_le_bytes()));
        }
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(header([crc, size, size], &entry.central_extra));
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.name.as_bytes());
        directory.extend(&entry.central_extra);
    }
    let start = zip.len() as u32;
    zip.extend(&directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        zip.extend((entries.len() as u16).to_le_bytes());
    }
    zip.extend((directory.len() as u32).to_le_bytes());
    zip.extend(start.to_le_bytes());
    zip.extend([0; 2]);
    zip
}

/// The CRC-32 of zip, bit by bit.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

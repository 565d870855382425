//! Bytes that start at a multiple of 16, for files that are read rather than mapped.

use std::io::{self, Read};

use bytemuck::{Pod, Zeroable};

/// Bytes that start at a multiple of 16 in memory, as a cooked file has to.
#[derive(Clone, Debug, Default)]
pub struct AlignedBytes {
    blocks: Vec<Block>,
    length: usize,
}

#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(16))]
struct Block([u8; 16]);

impl AlignedBytes {
    /// Reads exactly `length` bytes.
    ///
    /// # Errors
    /// Where they do not fit into memory, and where `from` fails or has fewer.
    pub fn read_from(from: &mut (impl Read + ?Sized), length: usize) -> io::Result<Self> {
        let mut bytes = AlignedBytes {
            blocks: Vec::new(),
            length,
        };
        let block_count = length.div_ceil(size_of::<Block>());
        // The length may be a stranger's: one that is too large is an error and not the end of the program.
        bytes
            .blocks
            .try_reserve_exact(block_count)
            .map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
        bytes.blocks.resize(block_count, Block::default());
        from.read_exact(&mut bytemuck::cast_slice_mut(&mut bytes.blocks)[..length])?;
        Ok(bytes)
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.blocks)[..self.length]
    }
}

impl From<&[u8]> for AlignedBytes {
    fn from(bytes: &[u8]) -> Self {
        let mut blocks = vec![Block::default(); bytes.len().div_ceil(size_of::<Block>())];
        bytemuck::cast_slice_mut(&mut blocks)[..bytes.len()].copy_from_slice(bytes);
        AlignedBytes {
            blocks,
            length: bytes.len(),
        }
    }
}

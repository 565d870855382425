//! Stages and accesses of a barrier, without Vulkan's names for what only the engine knows.

use bitflags::bitflags;

bitflags! {
    /// Pipeline stages that a frame of the pre-pass touches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Stages: u32 {
        /// Buffer copies.
        const COPY = 1;
        /// Compute shaders.
        const COMPUTE = 2;
        /// The stages that the engine named as readers of the ranges.
        const ENGINE_READERS = 4;
    }
}

bitflags! {
    /// Memory accesses that a frame of the pre-pass makes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Access: u32 {
        /// A copy reads.
        const TRANSFER_READ = 1;
        /// A copy writes.
        const TRANSFER_WRITE = 2;
        /// A shader reads a storage buffer.
        const STORAGE_READ = 4;
        /// A shader writes a storage buffer.
        const STORAGE_WRITE = 8;
        /// The accesses that the engine named for its readers.
        const ENGINE_READS = 16;
    }
}

/// One side of a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Stages.
    pub stages: Stages,
    /// Accesses within them.
    pub access: Access,
}

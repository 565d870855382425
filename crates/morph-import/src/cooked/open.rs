//! An open cooked file: its bytes, mapped or in memory, and views into them.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use morph_anim::Clip;
use morph_core::cooked::{AlignedBytes, Cooked, CookedPrimitive};
use morph_core::rig::Rig;
use self_cell::self_cell;

use super::error::{CookedModelError, Fault};
use super::read::{self, Description, MeshDescription, Part};
use crate::expressions::ModelExpression;
use crate::model::{Format, Material, Node, Skin, Topology};

/// The bytes of a file, which stay where they are.
enum Bytes {
    Mapped(Mmap),
    Memory(AlignedBytes),
    /// An empty file, which cannot be mapped.
    Empty,
}

impl Bytes {
    fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Memory(bytes) => bytes.as_slice(),
            Bytes::Empty => &[],
        }
    }
}

self_cell!(
    /// Bytes, and the primitives that lie in them.
    struct Opened {
        owner: Bytes,
        #[covariant]
        dependent: Cooked,
    }
);

/// A cooked file, open. All of it has been checked.
///
/// What is large lies in the file and is handed out as slices of it; meshes and what describes the model are in
/// memory.
pub struct CookedModel {
    path: PathBuf,
    opened: Opened,
    description: Description,
}

/// A mesh of a cooked file.
#[derive(Clone, Copy)]
pub struct CookedMesh<'a> {
    description: &'a MeshDescription,
    primitives: &'a [CookedPrimitive<'a>],
    parts: &'a [Part],
}

impl CookedModel {
    /// Reads a file into memory.
    ///
    /// # Errors
    /// Where the file cannot be read, or is refused: see [`CookedModelError`].
    pub fn read(path: &Path) -> Result<Self, CookedModelError> {
        let read = || {
            let mut file = open(path)?;
            let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
            AlignedBytes::read_from(&mut file, length)
        };
        let bytes = read().map_err(|reason| CookedModelError::Read {
            path: path.to_owned(),
            reason,
        })?;
        CookedModel::from_bytes(path, bytes)
    }

    /// Maps a file. Its pages are read when they are checked, which happens here, and may be dropped and read again
    /// later.
    ///
    /// # Errors
    /// Where the file cannot be mapped, or is refused: see [`CookedModelError`].
    ///
    /// # Safety
    /// As long as the model lives nobody may change the file or make it shorter, in this process or another: what was
    /// checked would no longer be what is read, and a page that is gone ends the process. [`BuiltModel::save`] is no
    /// danger: it puts a new file in the place of the old one, which stays as it was for those who have it open.
    ///
    /// [`BuiltModel::save`]: super::BuiltModel::save
    pub unsafe fn map(path: &Path) -> Result<Self, CookedModelError> {
        let map = || {
            let file = open(path)?;
            if file.metadata()?.len() == 0 {
                return Ok(Bytes::Empty);
            }
            // SAFETY: the caller answers for the file staying as it is.
            let map = unsafe { Mmap::map(&file) }?;
            Ok(Bytes::Mapped(map))
        };
        let bytes = map().map_err(|reason| CookedModelError::Read {
            path: path.to_owned(),
            reason,
        })?;
        CookedModel::parse(path, bytes)
    }

    /// Takes bytes that the caller has already, as if they were the content of the file `path`.
    ///
    /// # Errors
    /// Where they are refused: see [`CookedModelError`].
    pub fn from_bytes(path: &Path, bytes: AlignedBytes) -> Result<Self, CookedModelError> {
        CookedModel::parse(path, Bytes::Memory(bytes))
    }

    fn parse(path: &Path, bytes: Bytes) -> Result<Self, CookedModelError> {
        let fault = |fault: Fault| fault.at(path.to_owned());
        let opened = Opened::try_new(bytes, |bytes| {
            Cooked::parse(bytes.as_slice()).map_err(|error| fault(error.into()))
        })?;
        let description = read::read(opened.borrow_dependent()).map_err(fault)?;
        Ok(CookedModel {
            path: path.to_owned(),
            opened,
            description,
        })
    }

    /// The same after its file was moved.
    pub(super) fn at(self, path: &Path) -> Self {
        CookedModel {
            path: path.to_owned(),
            ..self
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The primitives over all meshes, and the sections of the file.
    pub fn cooked(&self) -> &Cooked<'_> {
        self.opened.borrow_dependent()
    }

    /// How long the file is.
    pub fn file_bytes(&self) -> u64 {
        self.opened.borrow_owner().as_slice().len() as u64
    }

    /// The kind of file that the model came from before it was cooked.
    pub fn format(&self) -> Format {
        self.description.format
    }

    /// How many meshes there are.
    pub fn mesh_count(&self) -> usize {
        self.description.meshes.len()
    }

    /// The mesh with an index.
    pub fn mesh(&self, index: usize) -> Option<CookedMesh<'_>> {
        let description = self.description.meshes.get(index)?;
        let range = description.primitives.clone();
        Some(CookedMesh {
            description,
            primitives: &self.cooked().primitives()[range.clone()],
            parts: &self.description.parts[range],
        })
    }

    /// The nodes; no two have one id, and none is above itself.
    pub fn nodes(&self) -> &[Node] {
        &self.description.nodes
    }

    /// The skins.
    pub fn skins(&self) -> &[Skin] {
        &self.description.skins
    }

    /// The clips.
    pub fn clips(&self) -> &[Clip] {
        &self.description.clips
    }

    /// The expressions of an avatar; no two have one name.
    pub fn expressions(&self) -> &[ModelExpression] {
        &self.description.expressions
    }
}

impl<'a> CookedMesh<'a> {
    /// The name, where the mesh has one.
    pub fn name(&self) -> Option<&'a str> {
        self.description.name.as_deref()
    }

    /// The weights at rest, one per target.
    pub fn default_weights(&self) -> &'a [f32] {
        &self.description.default_weights
    }

    /// How the weights of controls become those of targets, where the mesh has controls of its own.
    pub fn rig(&self) -> Option<&'a Rig> {
        self.description.rig.as_ref()
    }

    /// The primitives. All have the same targets.
    pub fn primitives(&self) -> &'a [CookedPrimitive<'a>] {
        self.primitives
    }

    /// The name of a primitive, where there is such and it has one.
    pub fn primitive_name(&self, primitive: usize) -> Option<&'a str> {
        self.parts.get(primitive)?.name.as_deref()
    }

    /// The material of a primitive, where there is such.
    pub fn material(&self, primitive: usize) -> Option<&'a Material> {
        self.parts.get(primitive).map(|part| &part.material)
    }

    /// How the indices of a primitive are grouped, where there is such.
    pub fn topology(&self, primitive: usize) -> Option<Topology> {
        self.parts.get(primitive).map(|part| part.topology)
    }
}

impl CookedMesh<'_> {
    pub(super) fn source_points(&self, primitive: usize) -> Option<&[u32]> {
        self.parts.get(primitive)?.source_points.as_deref()
    }
}

impl fmt::Debug for CookedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CookedModel")
            .field("path", &self.path)
            .field("file_bytes", &self.file_bytes())
            .field("sections", &self.cooked().container().sections().len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CookedMesh<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CookedMesh")
            .field("name", &self.name())
            .field("primitives", &self.primitives.len())
            .finish_non_exhaustive()
    }
}

/// Opens what is a file; a pipe or a device would block or never end.
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"))
    }
}

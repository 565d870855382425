//! Cooked files: built meshes as they are uploaded, loaded without work.
//!
//! A file is a header, a table of sections, and the sections, each with its checksum and each at a multiple of 16,
//! so that a mapped file goes to a device as it lies there.
//! The format is described in `docs/cooked.md`; the records are the structs of this module.
//!
//! A file is input from a stranger.
//! [`Cooked::parse`] checks all of it before it hands anything out: checksums, the place of every section, and that
//! every count, index, order and value is one that [`MorphMesh::build`](crate::MorphMesh::build) could have given.
//! Memory is taken only for what the bytes hold.
//!
//! ```
//! use morph_core::cooked::{AlignedBytes, Cooked, PrimitiveParts, Writer};
//! use morph_core::{
//!     BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout,
//! };
//!
//! let mut raise = MorphTarget::empty("raise");
//! raise.vertices = vec![1];
//! raise.positions = Some(vec![[0.0, 2.0, 0.0]]);
//! let (mesh, report) = MorphMesh::build(2, &[raise], &BuildOptions::new(Quantization::Half))?;
//! let rest = RestPose::from_streams(
//!     VertexLayout::POSITION,
//!     &[[0.0; 3], [1.0, 0.0, 0.0]],
//!     None,
//!     None,
//!     BaseNormals::AsGiven,
//! )?;
//!
//! let mut writer = Writer::new();
//! writer.add_primitive(0, &PrimitiveParts::new(&mesh, &report, &rest, &[0, 1]));
//! let mut file = Vec::new();
//! writer.write_to(&mut file)?;
//!
//! let bytes = AlignedBytes::from(file.as_slice());
//! let cooked = Cooked::parse(bytes.as_slice())?;
//! let primitive = &cooked.primitives()[0];
//! assert_eq!(primitive.mesh().names().name(0), Some("raise"));
//! assert_eq!(primitive.vertex_major().words, morph_core::pack_vertex_major(&mesh).words);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aligned;
mod container;
mod encode;
mod error;
mod kind;
mod parse;
mod primitive;
mod records;
mod scatter;
mod sets;
mod targets;
mod values;
mod vertex_major;
mod writer;

pub use aligned::AlignedBytes;
pub use container::{ALIGNMENT, Container, FileHeader, MAGIC, Section, SectionEntry};
pub use encode::PrimitiveParts;
pub use error::{CookedError, SectionError};
pub use kind::{NEWEST_VERSION, SectionId, SectionKind};
pub use parse::Cooked;
pub use primitive::{CookedPrimitive, CookedVertexMajor};
pub use records::{PrimitiveRecord, TargetRecord};
pub use sets::SetRecord;
pub use writer::Writer;

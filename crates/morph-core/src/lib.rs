//! Morph targets as exact data, and the arithmetic that every device path has to equal.
//!
//! A morph target (blend shape, shape key) is a list of vertices with a delta for each.
//! This crate turns authored targets into a [`MorphMesh`]: sparse, sorted, quantized, with the error that
//! this cost measured over every vertex.
//! From there come the words that shaders read ([`pack_vertex_major`], [`pack_scatter`]), bounds for any
//! weights, and [`morph`], the host kernel.
//! The host kernel is not an approximation of the device: it is the definition, and results are compared bit
//! by bit.
//!
//! ```
//! use morph_core::{BuildOptions, MorphMesh, MorphTarget, Quantization, RestStreams, morph};
//!
//! let mut raise = MorphTarget::empty("raise");
//! raise.vertices = vec![1];
//! raise.positions = Some(vec![[0.0, 2.0, 0.0]]);
//! let (mesh, report) = MorphMesh::build(2, &[raise], &BuildOptions::new(Quantization::Snorm16))?;
//! assert!(report.worst_position_error <= 1.0e-4);
//!
//! let (rest, _) = RestStreams::new(vec![[0.0; 3], [1.0, 0.0, 0.0]], None, None)?;
//! let morphed = morph(&mesh, &rest, &[0.5])?;
//! assert_eq!(morphed.positions, [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here reads a file, names a graphics interface, or contains unsafe code.

#![forbid(unsafe_code)]

pub mod bake;
pub mod bounds;
pub mod build;
pub mod compare;
pub mod cooked;
pub mod domain;
pub mod expression;
pub mod generate;
pub mod kernel;
pub mod layout;
pub mod mesh;
pub mod movement;
pub mod names;
pub mod packed;
pub mod placement;
pub mod plan;
pub mod quantization;
pub mod remap;
pub mod report;
pub mod rest;
pub mod rig;
pub mod set_kernel;
pub mod sets;
pub mod skin;
pub mod statistics;
pub mod streams;
pub mod target;
pub mod transform;
pub mod vertex_attribute;
pub mod vertex_layout;
pub mod weights;

mod deltas;
mod error;
mod rounding;

pub use bake::{BakeError, BakedDirections, bake};
pub use bounds::{Aabb, Sphere};
pub use build::{BuildOptions, Thresholds, validate};
pub use compare::{SHORTEST_NORMAL, angle_between, max_ulp_difference, ulp_difference};
pub use domain::{DOMAIN_MIN, to_domain};
pub use error::{BuildError, Limit};
pub use generate::{FaceWeight, GenerateError, generate_normals};
pub use kernel::{KernelError, MorphedStreams, morph, morph_into};
pub use layout::{
    Layout, Scatter, ScatterTarget, VertexMajor, pack_scatter, pack_set_table, pack_vertex_major,
};
pub use mesh::{MorphMesh, TargetView};
pub use movement::pixels_per_unit;
pub use names::{NameError, NameTable, TargetId};
pub use packed::{decode_octahedral16, decode_snorm10, encode_octahedral16, encode_snorm10};
pub use placement::{Placement, PlacementError, PlacementTable, TableError, TableLayout};
pub use quantization::{ParseQuantizationError, Quantization};
pub use remap::{Remap, RemapError, WeldAttribute, weld};
pub use report::{BuildReport, TargetReport};
pub use rest::{BaseNormals, RestAttributes, RestError, RestPose, RestStreams};
pub use rig::Rig;
pub use set_kernel::{RestSet, morph_colors, morph_colors_into, morph_texcoords, morph_texcoords_into};
pub use sets::{SetView, VertexSet};
pub use skin::{
    BoneRows, DirectionTransform, InfluenceCount, SkinBounds, SkinError, SkinPose, SkinShape, SkinWeights,
    skin, skin_into,
};
pub use statistics::MeshStatistics;
pub use streams::{Stream, Streams};
pub use target::{MorphTarget, SetDeltas};
pub use transform::{AffineTransform, MeshParts, TransformError};
pub use vertex_attribute::{AttributePlace, SetPlace, VertexAttribute, VertexFormat};
pub use vertex_layout::{LayoutError, RestPlace, VertexLayout};
pub use weights::{WeightError, WeightState, weights_from_names};

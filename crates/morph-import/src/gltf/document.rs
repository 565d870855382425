//! The parts of a glTF file's JSON that an import needs, as plain data, with nothing checked but the types.
//!
//! The reader has its own document instead of that of the crate `gltf`, whose morph targets know three attributes
//! only and whose accessors turn quantized deltas into something else without saying so.
//! Lists that do not matter to an import are not here, so what is odd in them cannot fail one. Items of most lists fail
//! by themselves; nodes do not, because others stand on them.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::item::Item;

/// A whole number that is not negative. JSON may write 4 as `4.0`, and some exporters do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Whole(pub(crate) u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WholeVisitor;

        impl Visitor<'_> for WholeVisitor {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number that is not negative")
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Whole, E> {
                Ok(Whole(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Whole, E> {
                u64::try_from(value)
                    .map(Whole)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(value), &self))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Whole, E> {
                // Up to 2^53 every whole number has an f64 of its own.
                if (0.0..=9_007_199_254_740_992.0).contains(&value) && value.fract() == 0.0 {
                    Ok(Whole(value as u64))
                } else {
                    Err(E::invalid_value(serde::de::Unexpected::Float(value), &self))
                }
            }
        }

        deserializer.deserialize_any(WholeVisitor)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document {
    pub(crate) asset: Asset,
    #[serde(default)]
    pub(crate) extensions_used: Vec<String>,
    #[serde(default)]
    pub(crate) extensions_required: Vec<String>,
    #[serde(default)]
    pub(crate) buffers: Vec<Buffer>,
    #[serde(default)]
    pub(crate) buffer_views: Vec<Item<BufferView>>,
    #[serde(default)]
    pub(crate) accessors: Vec<Item<Accessor>>,
    #[serde(default)]
    pub(crate) meshes: Vec<Item<Mesh>>,
    #[serde(default)]
    pub(crate) nodes: Vec<Node>,
    #[serde(default)]
    pub(crate) materials: Vec<Item<Material>>,
    #[serde(default)]
    pub(crate) skins: Vec<Item<Skin>>,
    #[serde(default)]
    pub(crate) animations: Vec<Item<Animation>>,
    /// As text, because what is wrong in an extension may not fail the file.
    pub(crate) extensions: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asset {
    pub(crate) version: String,
    pub(crate) min_version: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Buffer {
    pub(crate) uri: Option<String>,
    pub(crate) byte_length: Whole,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BufferView {
    pub(crate) buffer: Whole,
    #[serde(default)]
    pub(crate) byte_offset: Whole,
    pub(crate) byte_length: Whole,
    pub(crate) byte_stride: Option<Whole>,
    extensions: Option<ViewExtensions>,
}

impl BufferView {
    /// How the view is compressed, where it is.
    pub(crate) fn compression(&self) -> Option<&Compression> {
        let extensions = self.extensions.as_ref()?;
        extensions
            .khr_meshopt
            .as_ref()
            .or(extensions.ext_meshopt.as_ref())
    }
}

#[derive(Debug, Deserialize)]
struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    ext_meshopt: Option<Compression>,
    #[serde(rename = "KHR_meshopt_compression")]
    khr_meshopt: Option<Compression>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Compression {
    pub(crate) buffer: Whole,
    #[serde(default)]
    pub(crate) byte_offset: Whole,
    pub(crate) byte_length: Whole,
    pub(crate) byte_stride: Whole,
    pub(crate) count: Whole,
    pub(crate) mode: String,
    pub(crate) filter: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor {
    pub(crate) buffer_view: Option<Whole>,
    #[serde(default)]
    pub(crate) byte_offset: Whole,
    pub(crate) component_type: Whole,
    #[serde(default)]
    pub(crate) normalized: bool,
    pub(crate) count: Whole,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Sparse {
    pub(crate) count: Whole,
    pub(crate) indices: SparseIndices,
    pub(crate) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseIndices {
    pub(crate) buffer_view: Whole,
    #[serde(default)]
    pub(crate) byte_offset: Whole,
    pub(crate) component_type: Whole,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseValues {
    pub(crate) buffer_view: Whole,
    #[serde(default)]
    pub(crate) byte_offset: Whole,
}

/// Attribute names with the accessors that hold them.
pub(crate) type Attributes = BTreeMap<String, Whole>;

impl Document {
    /// The memory that the lists of attributes take, about: it is what grows most when JSON is parsed, to ten times
    /// of its text, and there may be one list for each target.
    pub(crate) fn attribute_bytes(&self) -> u64 {
        // A node of the map has room for eleven attributes; each name is allocated on its own.
        const BYTES_PER_LIST: u64 = 24;
        const BYTES_PER_NODE: u64 = 384;
        const BYTES_PER_NAME: u64 = 24;
        let meshes = self.meshes.iter().filter_map(Item::sound);
        let primitives = meshes.flat_map(|mesh| mesh.primitives.iter().filter_map(Item::sound));
        let lists = primitives.flat_map(|primitive| {
            let targets = primitive.targets.iter().filter_map(Item::sound);
            std::iter::once(&primitive.attributes).chain(targets)
        });
        lists
            .map(|list| {
                let names: u64 = list.keys().map(|name| BYTES_PER_NAME + name.len() as u64).sum();
                BYTES_PER_LIST + (list.len() as u64).div_ceil(6) * BYTES_PER_NODE + names
            })
            .sum()
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Mesh {
    pub(crate) name: Option<String>,
    pub(crate) primitives: Vec<Item<Primitive>>,
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) extras: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Primitive {
    #[serde(default)]
    pub(crate) attributes: Attributes,
    pub(crate) indices: Option<Whole>,
    pub(crate) material: Option<Whole>,
    pub(crate) mode: Option<Whole>,
    #[serde(default)]
    pub(crate) targets: Vec<Item<Attributes>>,
    pub(crate) extras: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skin {
    pub(crate) name: Option<String>,
    pub(crate) joints: Vec<Whole>,
    pub(crate) inverse_bind_matrices: Option<Whole>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) children: Vec<Whole>,
    pub(crate) mesh: Option<Whole>,
    pub(crate) skin: Option<Whole>,
    pub(crate) weights: Option<Vec<f64>>,
    pub(crate) matrix: Option<Vec<f64>>,
    pub(crate) translation: Option<Vec<f64>>,
    pub(crate) rotation: Option<Vec<f64>>,
    pub(crate) scale: Option<Vec<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Material {
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) double_sided: bool,
    pub(crate) pbr_metallic_roughness: Option<MetallicRoughness>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MetallicRoughness {
    #[serde(rename = "baseColorFactor")]
    pub(crate) base_color: Option<Vec<f64>>,
    #[serde(rename = "metallicFactor")]
    pub(crate) metallic: Option<f64>,
    #[serde(rename = "roughnessFactor")]
    pub(crate) roughness: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Animation {
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) channels: Vec<Item<Channel>>,
    #[serde(default)]
    pub(crate) samplers: Vec<Item<Sampler>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Channel {
    pub(crate) sampler: Whole,
    pub(crate) target: ChannelTarget,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ChannelTarget {
    pub(crate) node: Option<Whole>,
    pub(crate) path: String,
    pub(crate) extensions: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Sampler {
    pub(crate) input: Whole,
    pub(crate) output: Whole,
    pub(crate) interpolation: Option<String>,
}

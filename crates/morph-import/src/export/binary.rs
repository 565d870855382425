//! The binary part of a GLB in the making: views and accessors with the bytes that they stand for.

use serde_json::{Map, Value, json};

const BYTE: u32 = 5121;
const SHORT: u32 = 5123;
const WORD: u32 = 5125;
const FLOAT: u32 = 5126;

/// Bytes, and the lists that describe them.
#[derive(Debug, Default)]
pub(super) struct Binary {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

/// What a view is bound as; glTF wants it said for vertices and indices.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use {
    /// Vertex attributes.
    Vertices,
    /// Triangle corners.
    Indices,
    /// Anything else.
    Data,
}

/// The smallest integers that hold some indices.
#[derive(Debug, Clone, Copy)]
enum Width {
    Byte,
    Short,
    Word,
}

impl Width {
    /// For numbers up to `largest`; the highest value of each width is kept free, because it restarts a primitive.
    fn of(largest: u32) -> Self {
        match largest {
            0..0xff => Width::Byte,
            0xff..0xffff => Width::Short,
            _ => Width::Word,
        }
    }

    fn component_type(self) -> u32 {
        match self {
            Width::Byte => BYTE,
            Width::Short => SHORT,
            Width::Word => WORD,
        }
    }

    fn bytes(self, values: &[u32]) -> Vec<u8> {
        match self {
            Width::Byte => values.iter().map(|&value| value as u8).collect(),
            Width::Short => values
                .iter()
                .flat_map(|&value| (value as u16).to_le_bytes())
                .collect(),
            Width::Word => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }
}

impl Binary {
    fn view(&mut self, bytes: &[u8], purpose: Use) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        match purpose {
            Use::Vertices => view["target"] = json!(34_962),
            Use::Indices => view["target"] = json!(34_963),
            Use::Data => {}
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Floats of `N` components each; `bounded` states the least and largest of each.
    pub(super) fn floats<const N: usize>(
        &mut self,
        values: &[[f32; N]],
        purpose: Use,
        bounded: bool,
    ) -> usize {
        let view = self.view(&float_bytes(values), purpose);
        let mut accessor = json!({
            "bufferView": view, "componentType": FLOAT, "count": values.len(), "type": type_name(N),
        });
        if bounded {
            set_bounds(&mut accessor, values.iter().copied());
        }
        self.accessor(accessor)
    }

    /// Indices of vertices.
    pub(super) fn indices(&mut self, indices: &[u32]) -> usize {
        // Bytes are allowed but slow on devices, so indices have 16 bits at least.
        let width = match Width::of(indices.iter().copied().max().unwrap_or(0)) {
            Width::Byte => Width::Short,
            other => other,
        };
        let view = self.view(&width.bytes(indices), Use::Indices);
        self.accessor(json!({
            "bufferView": view, "componentType": width.component_type(), "count": indices.len(), "type": "SCALAR",
        }))
    }

    /// Four joint numbers for each vertex.
    pub(super) fn joints(&mut self, joints: &[[u16; 4]]) -> usize {
        let bytes: Vec<u8> = joints
            .iter()
            .flatten()
            .flat_map(|joint| joint.to_le_bytes())
            .collect();
        let view = self.view(&bytes, Use::Vertices);
        self.accessor(json!({
            "bufferView": view, "componentType": SHORT, "count": joints.len(), "type": "VEC4",
        }))
    }

    /// Deltas of `count` vertices of which a few move: the smaller of a sparse and a dense accessor for each stream,
    /// all with one list of vertices. Positions state their bounds.
    pub(super) fn deltas<const N: usize>(
        &mut self,
        count: usize,
        vertices: &[u32],
        deltas: &[[f32; N]],
        list: &mut SparseList,
        bounded: bool,
    ) -> usize {
        let mut accessor = json!({ "componentType": FLOAT, "count": count, "type": type_name(N) });
        let width = Width::of(vertices.last().copied().unwrap_or(0));
        let index_bytes = if list.view.is_none() {
            width.bytes(&[0]).len()
        } else {
            0
        };
        let moved: Vec<usize> = (0..vertices.len())
            .filter(|&entry| deltas[entry] != [0.0; N])
            .collect();
        if moved.is_empty() {
            // Neither a view nor sparse values: all zeros.
        } else if vertices.len() * (index_bytes + 4 * N) < count * 4 * N {
            let view = *list
                .view
                .get_or_insert_with(|| self.view(&width.bytes(vertices), Use::Data));
            let values = self.view(&float_bytes(deltas), Use::Data);
            accessor["sparse"] = json!({
                "count": vertices.len(),
                "indices": { "bufferView": view, "componentType": width.component_type() },
                "values": { "bufferView": values },
            });
        } else {
            let mut dense = vec![[0.0; N]; count];
            for (&vertex, &delta) in vertices.iter().zip(deltas) {
                dense[vertex as usize] = delta;
            }
            accessor["bufferView"] = json!(self.view(&float_bytes(&dense), Use::Vertices));
        }
        if bounded {
            let rest = (vertices.len() < count).then_some([0.0; N]);
            set_bounds(&mut accessor, deltas.iter().copied().chain(rest));
        }
        self.accessor(accessor)
    }

    /// The lists, as the members of a document.
    pub(super) fn describe(self, document: &mut Map<String, Value>) -> Vec<u8> {
        if !self.bytes.is_empty() {
            document.insert("buffers".to_owned(), json!([{ "byteLength": self.bytes.len() }]));
        }
        for (name, list) in [("bufferViews", self.views), ("accessors", self.accessors)] {
            if !list.is_empty() {
                document.insert(name.to_owned(), Value::Array(list));
            }
        }
        self.bytes
    }
}

/// The view of the moved vertices of one target, once it is written.
#[derive(Debug, Default)]
pub(super) struct SparseList {
    view: Option<usize>,
}

fn float_bytes<const N: usize>(values: &[[f32; N]]) -> Vec<u8> {
    values
        .as_flattened()
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn type_name(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}

fn set_bounds<const N: usize>(accessor: &mut Value, values: impl Iterator<Item = [f32; N]>) {
    let (mut least, mut largest) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
    for value in values {
        for component in 0..N {
            least[component] = least[component].min(value[component]);
            largest[component] = largest[component].max(value[component]);
        }
    }
    // Floats that are written as doubles are read as the same floats.
    accessor["min"] = least.iter().map(|&x| json!(f64::from(x))).collect();
    accessor["max"] = largest.iter().map(|&x| json!(f64::from(x))).collect();
}

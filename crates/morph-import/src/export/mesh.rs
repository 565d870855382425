//! Meshes and materials.

use morph_core::{MorphTarget, SetDeltas};
use serde_json::{Map, Value, json};

use super::binary::{Binary, SparseList, Use};
use super::{ExportError, ExportNote};
use crate::model::{Material, Mesh, Model, Primitive, Topology};

/// The materials of a model, each once.
#[derive(Debug, Default)]
pub(super) struct Materials {
    known: Vec<Material>,
}

impl Materials {
    fn index(&mut self, material: &Material) -> Option<usize> {
        if *material == Material::default() {
            return None;
        }
        let known = self.known.iter().position(|it| it == material);
        Some(known.unwrap_or_else(|| {
            self.known.push(material.clone());
            self.known.len() - 1
        }))
    }

    pub(super) fn describe(&self) -> Vec<Value> {
        let describe = |material: &Material| {
            let mut value = json!({
                "pbrMetallicRoughness": {
                    "baseColorFactor": material.base_color,
                    "metallicFactor": material.metallic,
                    "roughnessFactor": material.roughness,
                },
            });
            if let Some(name) = &material.name {
                value["name"] = json!(name);
            }
            if material.double_sided {
                value["doubleSided"] = json!(true);
            }
            value
        };
        self.known.iter().map(describe).collect()
    }
}

/// Describes the meshes. One of which nothing can be written is `None`: glTF has no mesh without primitives.
pub(super) fn meshes(
    model: &Model,
    binary: &mut Binary,
    materials: &mut Materials,
    notes: &mut Vec<ExportNote>,
) -> Result<Vec<Option<Value>>, ExportError> {
    let each = model.meshes.iter().enumerate();
    each.map(|(index, mesh)| {
        let mut primitives = Vec::new();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let place = format!("mesh {index}, primitive {number}");
            if primitive.positions.is_empty() {
                notes.push(ExportNote::EmptyPrimitive { place });
                continue;
            }
            check(primitive, mesh, &place)?;
            let mut value = describe(primitive, binary);
            if let Some(material) = materials.index(&primitive.material) {
                value["material"] = json!(material);
            }
            primitives.push(value);
        }
        Ok((!primitives.is_empty()).then(|| with_targets(mesh, &primitives)))
    })
    .collect()
}

fn with_targets(mesh: &Mesh, primitives: &[Value]) -> Value {
    let mut value = json!({ "primitives": primitives });
    if let Some(name) = &mesh.name {
        value["name"] = json!(name);
    }
    if !mesh.target_names.is_empty() {
        value["weights"] = json!(mesh.default_weights);
        value["extras"] = json!({ "targetNames": mesh.target_names });
    }
    value
}

/// Refuses what would make a damaged file. A model from an import is always sound.
fn check(primitive: &Primitive, mesh: &Mesh, place: &str) -> Result<(), ExportError> {
    let count = primitive.positions.len();
    let lengths = [
        primitive.normals.as_ref().map(Vec::len),
        primitive.tangents.as_ref().map(Vec::len),
        primitive
            .skin_weights
            .as_ref()
            .map(morph_core::SkinWeights::vertex_count),
    ];
    let sets = primitive.texcoords.iter().map(Vec::len);
    let sets = sets.chain(primitive.colors.iter().map(Vec::len));
    if let Some(length) = lengths
        .into_iter()
        .flatten()
        .chain(sets)
        .find(|&length| length != count)
    {
        let problem = format!("an attribute has {length} values for {count} vertices");
        return Err(ExportError::inconsistent(place, problem));
    }
    if primitive.targets.len() != mesh.target_names.len() {
        let (targets, names) = (primitive.targets.len(), mesh.target_names.len());
        let problem = format!("there are {targets} targets for {names} names");
        return Err(ExportError::inconsistent(place, problem));
    }
    let finite = |values: &[[f32; 3]]| values.as_flattened().iter().all(|x| x.is_finite());
    let streams = primitive
        .targets
        .iter()
        .flat_map(|it| [&it.positions, &it.normals, &it.tangents]);
    let base = [Some(&primitive.positions), primitive.normals.as_ref()];
    if !base
        .into_iter()
        .flatten()
        .chain(streams.flatten())
        .all(|values| finite(values))
    {
        let problem = "a position, normal or delta is NaN or infinite; glTF allows finite numbers only";
        return Err(ExportError::inconsistent(place, problem));
    }
    if let Some(&index) = primitive.indices.iter().find(|&&index| index as usize >= count) {
        let problem = format!("there is no vertex {index}, only {count}");
        return Err(ExportError::inconsistent(place, problem));
    }
    for (slot, target) in primitive.targets.iter().enumerate() {
        let streams = [&target.positions, &target.normals, &target.tangents];
        let fits = streams
            .into_iter()
            .flatten()
            .all(|it| it.len() == target.vertices.len())
            && is_below(&target.vertices, count)
            && target
                .texcoords
                .iter()
                .all(|set| set.deltas.len() == set.vertices.len() && is_below(&set.vertices, count))
            && target
                .colors
                .iter()
                .all(|set| set.deltas.len() == set.vertices.len() && is_below(&set.vertices, count));
        if !fits {
            let problem = format!("the lists of target {slot} do not fit each other or the {count} vertices");
            return Err(ExportError::inconsistent(place, problem));
        }
    }
    Ok(())
}

fn is_below(vertices: &[u32], count: usize) -> bool {
    vertices.iter().all(|&vertex| (vertex as usize) < count)
}

fn describe(primitive: &Primitive, binary: &mut Binary) -> Value {
    let mut attributes = Map::new();
    let mut add = |name: String, accessor: usize| attributes.insert(name, json!(accessor));
    add(
        "POSITION".to_owned(),
        binary.floats(&primitive.positions, Use::Vertices, true),
    );
    if let Some(normals) = &primitive.normals {
        add("NORMAL".to_owned(), binary.floats(normals, Use::Vertices, false));
    }
    if let Some(tangents) = &primitive.tangents {
        add(
            "TANGENT".to_owned(),
            binary.floats(tangents, Use::Vertices, false),
        );
    }
    for (set, values) in primitive.texcoords.iter().enumerate() {
        add(
            format!("TEXCOORD_{set}"),
            binary.floats(values, Use::Vertices, false),
        );
    }
    for (set, values) in primitive.colors.iter().enumerate() {
        add(
            format!("COLOR_{set}"),
            binary.floats(values, Use::Vertices, false),
        );
    }
    if let Some(skin) = &primitive.skin_weights {
        for set in 0..skin.influence_count().get() / 4 {
            let of = |vertex: usize| skin.of(vertex).skip(4 * set).take(4);
            let mut joints = vec![[0; 4]; primitive.positions.len()];
            let mut weights = vec![[0.0; 4]; primitive.positions.len()];
            for vertex in 0..joints.len() {
                for (at, (joint, weight)) in of(vertex).enumerate() {
                    // A joint without weight has to be 0.
                    joints[vertex][at] = if weight == 0.0 { 0 } else { joint };
                    weights[vertex][at] = weight;
                }
            }
            add(format!("JOINTS_{set}"), binary.joints(&joints));
            add(
                format!("WEIGHTS_{set}"),
                binary.floats(&weights, Use::Vertices, false),
            );
        }
    }
    let mode = match primitive.topology {
        Topology::Points => 0,
        Topology::Lines => 1,
        Topology::Triangles => 4,
    };
    let mut value = json!({ "attributes": attributes, "mode": mode });
    if !primitive.indices.is_empty() {
        value["indices"] = json!(binary.indices(&primitive.indices));
    }
    if !primitive.targets.is_empty() {
        let count = primitive.positions.len();
        let targets = primitive.targets.iter();
        value["targets"] = targets
            .map(|target| describe_target(target, count, binary))
            .collect();
    }
    value
}

fn describe_target(target: &MorphTarget, count: usize, binary: &mut Binary) -> Value {
    let mut attributes = Map::new();
    let mut list = SparseList::default();
    let order = rising(&target.vertices);
    let vertices: Vec<u32> = order.iter().map(|&entry| target.vertices[entry]).collect();
    // A target without any attribute is not allowed; positions that do not move are.
    let none = Vec::new();
    let positions = target
        .positions
        .as_ref()
        .or(target.vertices.is_empty().then_some(&none));
    for (name, stream) in [
        ("POSITION", positions),
        ("NORMAL", target.normals.as_ref()),
        ("TANGENT", target.tangents.as_ref()),
    ] {
        if let Some(stream) = stream {
            let deltas: Vec<[f32; 3]> = order.iter().map(|&entry| stream[entry]).collect();
            let accessor = binary.deltas(count, &vertices, &deltas, &mut list, name == "POSITION");
            attributes.insert(name.to_owned(), json!(accessor));
        }
    }
    add_sets("TEXCOORD", &target.texcoords, count, binary, &mut attributes);
    add_sets("COLOR", &target.colors, count, binary, &mut attributes);
    Value::Object(attributes)
}

fn add_sets<const N: usize>(
    name: &str,
    sets: &[SetDeltas<N>],
    count: usize,
    binary: &mut Binary,
    attributes: &mut Map<String, Value>,
) {
    for set in sets {
        let order = rising(&set.vertices);
        let vertices: Vec<u32> = order.iter().map(|&entry| set.vertices[entry]).collect();
        let deltas: Vec<[f32; N]> = order.iter().map(|&entry| set.deltas[entry]).collect();
        let accessor = binary.deltas(count, &vertices, &deltas, &mut SparseList::default(), false);
        attributes.insert(format!("{name}_{}", set.set), json!(accessor));
    }
}

/// The entries in the order of their vertices, as sparse accessors need them.
fn rising(vertices: &[u32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    order.sort_by_key(|&entry| vertices[entry]);
    order
}

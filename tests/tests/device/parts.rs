//! The generated head cut into three submeshes, and tables that take it apart.

use ash::vk;
use morph_core::MorphTarget;
use morph_core::placement::{Placement, PlacementTable, TableLayout, axis_angle};
use morph_render::{Buffer, DrawPlacement, HeadlessDevice, PlacementTables, Renderer, TableRange, upload};
use morph_tests::head::Head;

/// The heights at which the head is cut: jaw below, face between, cap above.
const CUTS: [f32; 2] = [-0.33, 0.55];

/// A head whose parts share no vertex.
pub(crate) struct Parts {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) indices: Vec<u32>,
    pub(crate) targets: Vec<MorphTarget>,
    /// The part of each vertex: 0 the jaw, 1 the face, 2 the cap.
    pub(crate) ids: Vec<u32>,
}

impl Parts {
    /// Cuts between triangles, so vertices along a cut become one for each part that has them.
    pub(crate) fn of(head: &Head) -> Parts {
        let mut number_of = std::collections::HashMap::new();
        let (mut sources, mut ids, mut indices) = (Vec::new(), Vec::new(), Vec::new());
        for triangle in head.indices.as_chunks::<3>().0 {
            let height: f32 = triangle.iter().map(|it| head.positions[*it as usize][1]).sum();
            let part = CUTS.iter().filter(|cut| height / 3.0 > **cut).count() as u32;
            for &source in triangle {
                indices.push(*number_of.entry((part, source)).or_insert_with(|| {
                    sources.push(source as usize);
                    ids.push(part);
                    sources.len() as u32 - 1
                }));
            }
        }
        let pick = |values: &[[f32; 3]]| -> Vec<[f32; 3]> { sources.iter().map(|it| values[*it]).collect() };
        let targets = head.targets.iter().map(|target| {
            let dense = |deltas: &Option<Vec<[f32; 3]>>| {
                let mut dense = vec![[0.0; 3]; head.positions.len()];
                for (vertex, delta) in target.vertices.iter().zip(deltas.iter().flatten()) {
                    dense[*vertex as usize] = *delta;
                }
                pick(&dense)
            };
            let (moved, turned) = (dense(&target.positions), dense(&target.normals));
            MorphTarget::from_dense(target.name.clone(), Some(&moved), Some(&turned), None)
        });
        Parts {
            positions: pick(&head.positions),
            normals: pick(&head.normals),
            targets: targets.collect(),
            indices,
            ids,
        }
    }

    /// The table that takes the head apart, by 0 (whole) to 1.
    pub(crate) fn apart(amount: f64) -> PlacementTable {
        let jaw = Placement::IDENTITY
            .with_translation([0.0, -0.35 * amount, 0.25 * amount])
            .unwrap();
        // The cap turns about the back of the cut, as a lid does.
        let turn = axis_angle([1.0, 0.0, 0.0], -0.9 * amount).unwrap();
        let cap = Placement::IDENTITY
            .with_rotation(turn)
            .unwrap()
            .about_pivot([0.0, f64::from(CUTS[1]), -0.7])
            .unwrap();
        let layout = TableLayout::new(64, 11).unwrap();
        layout.pack_table([Some(&jaw), None, Some(&cap)]).unwrap()
    }

    /// Uploads transform ids and tables.
    pub(crate) fn place(
        &self,
        device: &HeadlessDevice,
        renderer: &mut Renderer,
        tables: &[&PlacementTable],
    ) -> PlacedParts {
        let (mut words, mut ranges) = (Vec::new(), Vec::new());
        for table in tables {
            ranges.push(TableRange::of(table, words.len() as u32));
            words.extend_from_slice(table.words());
        }
        let to_device = |name, words: &[u32], usage| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            upload(device, name, &bytes, usage).unwrap()
        };
        let words = to_device("placement tables", &words, vk::BufferUsageFlags::STORAGE_BUFFER);
        PlacedParts {
            ids: to_device("transform ids", &self.ids, vk::BufferUsageFlags::VERTEX_BUFFER),
            tables: renderer.placement_tables(&words).unwrap(),
            ranges,
            _words: words,
        }
    }
}

/// Transform ids and tables on a device.
pub(crate) struct PlacedParts {
    ids: Buffer,
    tables: PlacementTables,
    ranges: Vec<TableRange>,
    // The set of the tables points into it.
    _words: Buffer,
}

impl PlacedParts {
    /// Placed by one table in the coming frame and by another one frame before.
    pub(crate) fn placement(&self, current: usize, previous: usize) -> DrawPlacement {
        DrawPlacement {
            id_buffer: self.ids.handle(),
            first_id: 0,
            tables: self.tables.set(),
            current: self.ranges[current],
            previous: self.ranges[previous],
        }
    }
}

//! The records that describe a model, as they lie in a file.

use bytemuck::{Pod, Zeroable};

/// Stands for a text, node, mesh or skin that is not there.
pub(super) const ABSENT: u32 = u32::MAX;

/// What the model came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ModelRecord {
    /// 0 glTF as text, 1 binary glTF, 2 MakeHuman, 3 FBX.
    pub(super) format: u32,
    /// Zero.
    pub(super) reserved: [u32; 3],
}

/// A piece of the text section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct TextRecord {
    /// Its first byte; 2³² - 1 for a name that is not there.
    pub(super) first: u32,
    pub(super) bytes: u32,
}

/// A run of records of another section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RunRecord {
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct MeshRecord {
    pub(super) name: TextRecord,
    /// Its primitives. All have the same target names.
    pub(super) primitives: RunRecord,
    /// Its default weights, one per target.
    pub(super) weights: RunRecord,
}

/// What a primitive has beside vertices and targets.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PartRecord {
    pub(super) name: TextRecord,
    pub(super) material_name: TextRecord,
    pub(super) base_color: [f32; 4],
    pub(super) metallic: f32,
    pub(super) roughness: f32,
    /// 0 or 1.
    pub(super) double_sided: u32,
    /// Indices of a group: 1 points, 2 lines, 3 triangles.
    pub(super) topology: u32,
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct NodeRecord {
    pub(super) name: TextRecord,
    pub(super) id: TextRecord,
    /// Weights of its own, one per target of its mesh; the first is 2³² - 1 where it has none.
    pub(super) weights: RunRecord,
    pub(super) parent: u32,
    pub(super) mesh: u32,
    pub(super) skin: u32,
    /// By columns.
    pub(super) local: [f32; 16],
    pub(super) translation: [f32; 3],
    pub(super) rotation: [f32; 4],
    pub(super) scale: [f32; 3],
}

/// A skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SkinRecord {
    pub(super) name: TextRecord,
    /// Its joints, and the matrices that belong to them.
    pub(super) joints: RunRecord,
}

/// A clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ClipRecord {
    pub(super) name: TextRecord,
    pub(super) tracks: RunRecord,
}

/// A track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct TrackRecord {
    pub(super) node: TextRecord,
    /// The target of a track of weights; otherwise absent.
    pub(super) target: TextRecord,
    /// 0 translation, 1 rotation, 2 scale, 3 weight.
    pub(super) channel: u32,
    /// 0 step, 1 linear, 2 cubic spline.
    pub(super) interpolation: u32,
    /// The times of its keys, in the section of curves; tracks may share them.
    pub(super) times: RunRecord,
    /// The values of its keys, in the section of curves: 3, 4, 3 or 1 floats a key as the channel says; three times
    /// as many for a spline, which has the slope it arrives with before the value, and the one it leaves with after.
    pub(super) values: RunRecord,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Compares the sizes of records with what they should be, and with the page that describes the format for readers
    /// in other languages.
    #[track_caller]
    pub(in crate::cooked) fn assert_described(sizes: &[(&str, usize, usize)]) {
        let page = include_str!("../../../../docs/cooked.md");
        for &(name, found, expected) in sizes {
            assert_eq!(found, expected, "{name}");
            let line = format!("`{name}`, {found} bytes");
            assert!(page.contains(&line), "docs/cooked.md does not say {line}");
        }
    }

    #[test]
    fn the_document_describes_the_records() {
        assert_described(&[
            ("ModelRecord", size_of::<ModelRecord>(), 16),
            ("TextRecord", size_of::<TextRecord>(), 8),
            ("RunRecord", size_of::<RunRecord>(), 8),
            ("MeshRecord", size_of::<MeshRecord>(), 24),
            ("PartRecord", size_of::<PartRecord>(), 48),
            ("NodeRecord", size_of::<NodeRecord>(), 140),
            ("SkinRecord", size_of::<SkinRecord>(), 16),
            ("ClipRecord", size_of::<ClipRecord>(), 16),
            ("TrackRecord", size_of::<TrackRecord>(), 40),
        ]);
    }
}

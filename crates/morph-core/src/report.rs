//! What a build cost: entries, drops, and the worst errors, measured over every vertex.

/// What building one target cost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TargetReport {
    /// The target's name.
    pub name: String,
    /// Stored entries of positions, normals and tangents.
    pub entry_count: u32,
    /// Stored entries of texture coordinates, over all sets.
    pub texcoord_entry_count: u64,
    /// Stored entries of colors, over all sets.
    pub color_entry_count: u64,
    /// Authored vertices with a delta other than zero that were left out: below the thresholds or the domain.
    /// An entry of texture coordinates or colors counts by itself.
    pub dropped_entry_count: u64,
    /// Components that were not zero and became zero because they, or their quantized values, were below
    /// 2⁻⁴⁰.
    pub zeroed_component_count: u64,
    /// Longest difference between a decoded and an authored position delta, in model units, over every
    /// vertex; dropped entries count with their whole length. Rounded up.
    pub worst_position_error: f32,
    /// Longest difference between a decoded and an authored normal delta, against a unit normal. Rounded up.
    pub worst_normal_error: f32,
    /// Longest difference between a decoded and an authored tangent delta, against a unit tangent. Rounded
    /// up.
    pub worst_tangent_error: f32,
    /// Largest angle between the exact and the decoded morphed unit normal with this target at weight 1, in
    /// degrees, rounded up; `None` where the build was given no rest normals.
    /// Angles of several targets do not add, so this promises nothing about mixtures.
    pub worst_direction_error_degrees: Option<f32>,
    /// Vertices of the mesh left out of the angle because their exact morphed normal is shorter than 1e-4 and
    /// has no direction to speak of. Zero where the build was given no rest normals.
    pub uncounted_direction_vertices: u32,
    /// Length of the longest decoded position delta, in model units, rounded up.
    pub reach: f32,
}

/// What building a mesh cost.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BuildReport {
    /// One report per target, in slot order.
    pub targets: Vec<TargetReport>,
    /// Stored entries of positions, normals and tangents of all targets.
    pub entry_count: u64,
    /// Stored entries of texture coordinates of all targets and sets.
    pub texcoord_entry_count: u64,
    /// Stored entries of colors of all targets and sets.
    pub color_entry_count: u64,
    /// Left-out entries of all targets; see [`TargetReport::dropped_entry_count`].
    pub dropped_entry_count: u64,
    /// Components made zero in all targets; see [`TargetReport::zeroed_component_count`].
    pub zeroed_component_count: u64,
    /// The worst of the targets' position errors, in model units.
    pub worst_position_error: f32,
    /// The worst of the targets' normal errors, against a unit normal.
    pub worst_normal_error: f32,
    /// The worst of the targets' tangent errors, against a unit tangent.
    pub worst_tangent_error: f32,
    /// The worst of the targets' direction errors in degrees; `None` without rest normals or without targets.
    pub worst_direction_error_degrees: Option<f32>,
}

impl BuildReport {
    pub(crate) fn new(targets: Vec<TargetReport>) -> Self {
        let mut report = BuildReport::default();
        for target in &targets {
            report.entry_count += u64::from(target.entry_count);
            report.texcoord_entry_count += target.texcoord_entry_count;
            report.color_entry_count += target.color_entry_count;
            report.dropped_entry_count += target.dropped_entry_count;
            report.zeroed_component_count += target.zeroed_component_count;
            report.worst_position_error = report.worst_position_error.max(target.worst_position_error);
            report.worst_normal_error = report.worst_normal_error.max(target.worst_normal_error);
            report.worst_tangent_error = report.worst_tangent_error.max(target.worst_tangent_error);
            if let Some(degrees) = target.worst_direction_error_degrees {
                let worst = report.worst_direction_error_degrees.unwrap_or(0.0);
                report.worst_direction_error_degrees = Some(worst.max(degrees));
            }
        }
        report.targets = targets;
        report
    }
}

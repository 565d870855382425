//! The report as a person reads it.

use std::fmt::Write as _;

use super::expressions;
use super::report::{
    ClipReport, CookedReport, FormatReport, MeshReport, NodeReport, PrimitiveReport, Report, TargetInfo,
};
use crate::model::format_title;
use crate::table::Align::{Left, Right};
use crate::table::Table;
use crate::text::{brief, bytes, count, counted, number, point, printable, quoted, readable, small};

/// More targets than this are listed in part, unless all are asked for.
const MANY_TARGETS: usize = 100;
/// How many are listed then.
const SHOWN_TARGETS: usize = 40;

/// The whole report.
pub(super) fn text(report: &Report, full: bool) -> String {
    let mut text = String::new();
    let format = format_title(report.format);
    line(
        &mut text,
        format_args!(
            "{}: {format}, {}, {}, {}",
            printable(&report.file),
            counted(report.meshes.len(), "mesh", "meshes"),
            counted(report.nodes.len(), "node", "nodes"),
            counted(report.clips.len(), "clip", "clips"),
        ),
    );
    if let Some(cooked) = &report.cooked {
        print_cooked(&mut text, cooked);
    }
    for mesh in &report.meshes {
        print_mesh(&mut text, mesh, full);
    }
    print_nodes(&mut text, &report.nodes);
    print_clips(&mut text, &report.clips);
    expressions::print(&mut text, &report.expressions);
    text.push('\n');
    if report.problems.is_empty() {
        line(&mut text, format_args!("no problems found"));
    } else {
        line(
            &mut text,
            format_args!("{}:", counted(report.problems.len(), "problem", "problems")),
        );
        for problem in &report.problems {
            let (place, problem) = (readable(&problem.place), readable(&problem.problem));
            line(&mut text, format_args!("  {place}: {problem}"));
        }
    }
    text
}

/// The sections of a cooked file, those of a kind together.
fn print_cooked(text: &mut String, cooked: &CookedReport) {
    line(
        text,
        format_args!(
            "cooked file of version {}, {} in {}",
            cooked.version,
            bytes(cooked.bytes),
            counted(cooked.sections.len(), "section", "sections"),
        ),
    );
    let mut kinds: Vec<(&str, usize, u64)> = Vec::new();
    for section in &cooked.sections {
        match kinds.iter_mut().find(|(kind, ..)| *kind == section.kind) {
            Some((_, sections, bytes)) => (*sections, *bytes) = (*sections + 1, *bytes + section.bytes),
            None => kinds.push((&section.kind, 1, section.bytes)),
        }
    }
    let mut table = Table::new(&[("kind", Left), ("sections", Right), ("bytes", Right)]);
    for (kind, sections, bytes) in kinds {
        table.row(vec![kind.to_owned(), count(sections as u64), count(bytes)]);
    }
    text.push_str(&table.lines(2));
}

pub(super) fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{arguments}");
}

fn print_mesh(text: &mut String, mesh: &MeshReport, full: bool) {
    line(
        text,
        format_args!(
            "\nmesh {}{}: {}, {}",
            mesh.mesh,
            quoted(mesh.name.as_deref()),
            counted(mesh.primitives.len(), "primitive", "primitives"),
            counted(mesh.target_names.len(), "target", "targets"),
        ),
    );
    for primitive in &mesh.primitives {
        if primitive.primitive > 0 {
            text.push('\n');
        }
        print_primitive(text, primitive, full);
    }
}

fn print_primitive(text: &mut String, primitive: &PrimitiveReport, full: bool) {
    let mut parts = vec![counted(primitive.vertices, "vertex", "vertices")];
    match primitive.topology {
        "triangles" => parts.push(counted(primitive.triangles, "triangle", "triangles")),
        other => parts.push(other.to_owned()),
    }
    let streams = [
        (primitive.normals, "normals"),
        (primitive.tangents, "tangents"),
        (primitive.texcoords, "texture coordinates"),
    ];
    parts.extend(
        streams
            .into_iter()
            .filter(|(there, _)| *there)
            .map(|(_, name)| name.to_owned()),
    );
    if let Some(material) = &primitive.material {
        parts.push(format!("material{}", quoted(Some(material))));
    }
    let name = quoted(primitive.name.as_deref());
    line(
        text,
        format_args!("  primitive {}{name}: {}", primitive.primitive, parts.join(", ")),
    );
    if let Some(bounds) = &primitive.bounds {
        line(
            text,
            format_args!("    from {} to {}", point(bounds.min), point(bounds.max)),
        );
    }
    let moves = primitive.targets.iter().any(|target| target.entries > 0);
    if moves || primitive.formats.iter().any(|format| format.refused.is_some()) {
        text.push('\n');
        text.push_str(&format_table(&primitive.formats).lines(4));
    }
    if moves {
        text.push('\n');
    }
    print_targets(text, primitive, full);
}

fn format_table(formats: &[FormatReport]) -> Table {
    let mut table = Table::new(&[
        ("stored as", Left),
        ("entries", Right),
        ("scatter", Right),
        ("vertex-major", Right),
        ("worst position error", Right),
        ("worst direction error", Right),
        ("", Left),
    ]);
    for format in formats {
        let mut cells = vec![String::new(); 7];
        format.quantization.clone_into(&mut cells[0]);
        if let (Some(cost), Some(entries)) = (&format.cost, format.entries) {
            cells[1] = count(entries);
            cells[2] = bytes(cost.bytes.scatter);
            cells[3] = bytes(cost.bytes.vertex_major);
            cells[4] = small(f64::from(cost.worst_error.position));
            cells[5] = degrees(cost.worst_error.direction_degrees);
        }
        if let Some(refused) = &format.refused {
            cells[6] = format!("refused: {}", readable(refused));
        }
        table.row(cells);
    }
    table
}

fn degrees(angle: Option<f32>) -> String {
    angle
        .map(|angle| format!("{}°", small(f64::from(angle))))
        .unwrap_or_default()
}

fn print_targets(text: &mut String, primitive: &PrimitiveReport, full: bool) {
    let moving: Vec<&TargetInfo> = primitive
        .targets
        .iter()
        .filter(|target| target.entries > 0)
        .collect();
    let shown = if full || moving.len() <= MANY_TARGETS {
        moving.len()
    } else {
        SHOWN_TARGETS
    };
    if !moving.is_empty() {
        text.push_str(&target_table(&moving[..shown], primitive.vertices).lines(4));
    }
    if shown < moving.len() {
        line(
            text,
            format_args!(
                "    … and {} more; --full lists all",
                count((moving.len() - shown) as u64)
            ),
        );
    }
    let idle = primitive.targets.len() - moving.len();
    if idle > 0 {
        line(
            text,
            format_args!(
                "    {} nothing here",
                counted(idle, "target moves", "targets move")
            ),
        );
    }
}

fn target_table(targets: &[&TargetInfo], vertex_count: usize) -> Table {
    let mut table = Table::new(&[
        ("slot", Right),
        ("target", Left),
        ("default", Right),
        ("entries", Right),
        ("moves", Right),
        ("reach", Right),
        ("deltas", Left),
        ("f32 error", Right),
        ("half error", Right),
        ("angle", Right),
        ("snorm16 error", Right),
        ("angle", Right),
    ]);
    for target in targets {
        let share = 100.0 * f64::from(target.entries) / vertex_count.max(1) as f64;
        // p, n and t: positions, normals and tangents.
        let deltas: Vec<&str> = target
            .streams
            .iter()
            .filter_map(|stream| stream.get(..1))
            .collect();
        let errors = |quantization: &str| {
            let format = target
                .formats
                .iter()
                .find(|format| format.quantization == quantization);
            format.map_or((String::new(), String::new()), |format| {
                let error = format.cost.worst_error;
                (small(f64::from(error.position)), degrees(error.direction_degrees))
            })
        };
        // Nothing is lost in f32 but what lies below the domain, so the column is there only where that happens.
        let f32_error = Some(errors("f32").0)
            .filter(|error| error != "0")
            .unwrap_or_default();
        let (half, half_degrees) = errors("half");
        let (snorm16, snorm16_degrees) = errors("snorm16");
        let default = f64::from(target.default_weight);
        table.row(vec![
            target.slot.to_string(),
            brief(&target.name),
            if default == 0.0 {
                String::new()
            } else {
                number(default)
            },
            count(u64::from(target.entries)),
            format!("{share:.1} %"),
            number(f64::from(target.reach)),
            deltas.join("+"),
            f32_error,
            half,
            half_degrees,
            snorm16,
            snorm16_degrees,
        ]);
    }
    table
}

fn print_nodes(text: &mut String, nodes: &[NodeReport]) {
    const SHOWN: usize = 40;
    let with_mesh: Vec<&NodeReport> = nodes.iter().filter(|node| node.mesh.is_some()).collect();
    if with_mesh.is_empty() {
        return;
    }
    text.push('\n');
    for node in with_mesh.iter().take(SHOWN) {
        let mesh = node.mesh.unwrap_or_default();
        let mut parts = vec![format!(
            "node {}{} shows mesh {mesh}",
            node.node,
            quoted(node.name.as_deref())
        )];
        if node
            .weights
            .as_ref()
            .is_some_and(|weights| weights.iter().any(|&w| w != 0.0))
        {
            parts.push("with weights of its own".to_owned());
        }
        if node.skinned {
            parts.push("skinned".to_owned());
        }
        line(text, format_args!("{}", parts.join(", ")));
    }
    if with_mesh.len() > SHOWN {
        line(
            text,
            format_args!("… and {} more nodes with meshes", with_mesh.len() - SHOWN),
        );
    }
}

fn print_clips(text: &mut String, clips: &[ClipReport]) {
    if clips.is_empty() {
        return;
    }
    text.push('\n');
    for clip in clips {
        line(
            text,
            format_args!(
                "clip {}{}: {} s, {}, {} of weights",
                clip.clip,
                quoted(clip.name.as_deref()),
                number(f64::from(clip.duration_seconds)),
                counted(clip.channels, "channel", "channels"),
                clip.weight_channels,
            ),
        );
    }
}

//! FBX 5.0 to 7.7, binary and text, parsed by the C library `ufbx`.
//!
//! `ufbx` resolves what the versions have in common; from there on, `corners` makes vertices of polygon corners, `mesh`
//! puts meshes together, `shapes` reads blend channels, `targets` lays their offsets on vertices, `skin` and `scene` read
//! bones, nodes and materials, and `clips`, `keys` and `fit` turn animation stacks into clips. Parts that are damaged by
//! themselves are left out by `crate::findings`.

mod budget;
mod clips;
mod corners;
mod fit;
mod keys;
mod mesh;
mod scene;
mod shapes;
mod skin;
mod targets;

use std::path::Path;

use budget::Budget;

use crate::error::{FbxError, ImportError};
use crate::fault::At;
use crate::findings::PartError;
use crate::model::{Format, Mesh, Model};
use crate::options::{ImportOptions, Space};
use crate::warning::WarningKind;

/// What is wrong in an FBX file, and where.
type Fault = crate::fault::Fault<FbxError>;
/// What was found in an FBX file.
type Findings = crate::findings::Findings<FbxError>;

impl PartError for FbxError {
    fn refuses_the_file(&self) -> bool {
        // What the parser refuses is never a part.
        matches!(self, FbxError::TooMuch { .. })
    }
}

/// The deepest nesting of nodes that is read.
const MOST_NESTED: u32 = 1024;

/// Whether bytes start as those of a binary FBX file, or as the comment that exporters put before the text form.
pub(crate) fn is_fbx(bytes: &[u8]) -> bool {
    let text = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    bytes.starts_with(b"Kaydara FBX Binary") || text.starts_with(b"; FBX") || text.starts_with(b";FBX")
}

/// Whether there is anything of FBX in the bytes: the first bytes, or the section that every text starts with.
fn names_itself(bytes: &[u8]) -> bool {
    const SECTION: &[u8] = b"FBXHeaderExtension";
    is_fbx(bytes) || bytes.windows(SECTION.len()).any(|window| window == SECTION)
}

/// Reads the bytes of an FBX file.
pub(crate) fn load(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Model, ImportError> {
    read(bytes, options).map_err(|fault| ImportError::Fbx {
        path: path.to_owned(),
        place: fault.place,
        reason: Box::new(fault.error),
    })
}

fn read(bytes: &[u8], options: &ImportOptions) -> Result<Model, Fault> {
    let budget = Budget::new(bytes.len());
    let scene = ufbx::load_memory(bytes, load_options(&budget, bytes.len(), options))
        .map_err(|error| {
            if names_itself(bytes) {
                parse_error(&error, &budget)
            } else {
                FbxError::NotFbx
            }
        })
        .at(|| "file".to_owned())?;

    let mut findings = Findings::new(options.on_damage);
    warn_of_scene(&scene, options, &mut findings);
    let context = mesh::Context {
        materials: &scene::materials(&scene, &budget, &mut findings)?,
        options,
        budget: &budget,
    };
    let mut meshes = Vec::with_capacity(scene.meshes.len());
    for (index, mesh) in (&scene.meshes).into_iter().enumerate() {
        meshes.push(mesh::read_or_leave_out(&context, index, mesh, &mut findings)?);
    }
    let mut nodes = scene::nodes(&scene, &meshes)?;
    let skins = skin::read(&scene, &meshes, &mut nodes, &budget, &mut findings)?;
    let clips = clips::read(&scene, &nodes, &meshes, &budget, &mut findings.warnings)?;
    let meshes: Vec<Mesh> = meshes.into_iter().map(|mesh| mesh.mesh).collect();
    findings.refuse_if_none_is_left(&meshes)?;
    Ok(Model {
        format: Format::Fbx,
        meshes,
        nodes,
        skins,
        clips,
        expressions: Vec::new(),
        warnings: findings.warnings,
    })
}

fn load_options(budget: &Budget, file_bytes: usize, options: &ImportOptions) -> ufbx::LoadOpts<'static> {
    let allocator = || ufbx::AllocatorOpts {
        memory_limit: usize::try_from(budget.limit()).unwrap_or(usize::MAX),
        // Small objects are allocated in batches, so that a file needs far fewer allocations than it has bytes.
        allocation_limit: file_bytes.saturating_add(65_536),
        ..ufbx::AllocatorOpts::default()
    };
    let (target_axes, target_unit_meters) = match options.space {
        Space::Meters => (ufbx::axes_right_handed_y_up(), 1.0),
        Space::File => (ufbx::LoadOpts::default().target_axes, 0.0),
    };
    ufbx::LoadOpts {
        temp_allocator: allocator(),
        result_allocator: allocator(),
        file_format: ufbx::FileFormat::Fbx,
        ignore_embedded: true,
        load_external_files: false,
        clean_skin_weights: true,
        node_depth_limit: MOST_NESTED,
        // What FBX nodes have beyond translation, rotation and scale goes into nodes of its own, so that the product of
        // local transforms is the transform to the world.
        geometry_transform_handling: ufbx::GeometryTransformHandling::HelperNodes,
        inherit_mode_handling: ufbx::InheritModeHandling::Compensate,
        space_conversion: ufbx::SpaceConversion::ModifyGeometry,
        handedness_conversion_axis: ufbx::MirrorAxis::X,
        target_axes,
        target_unit_meters,
        ..ufbx::LoadOpts::default()
    }
}

fn parse_error(error: &ufbx::Error, budget: &Budget) -> FbxError {
    use ufbx::ErrorType as Type;
    match error.type_ {
        Type::EmptyFile | Type::TruncatedFile => FbxError::Truncated,
        Type::UnrecognizedFileFormat => FbxError::NotFbx,
        Type::UnsupportedVersion => FbxError::Version,
        Type::NodeDepthLimit => FbxError::TooDeep { limit: MOST_NESTED },
        Type::OutOfMemory | Type::MemoryLimit | Type::AllocationLimit => FbxError::TooMuch {
            limit: budget.limit(),
        },
        _ => {
            // The innermost frame says which check failed.
            let frame = &error.stack[0];
            let message = if error.stack_size > 0 && !frame.description.is_empty() {
                format!("{} ({})", error.description, frame.description)
            } else {
                error.description.to_string()
            };
            FbxError::Damaged { message }
        }
    }
}

fn warn_of_scene(scene: &ufbx::Scene, options: &ImportOptions, findings: &mut Findings) {
    let mut warn = |kind| findings.warn("file".to_owned(), kind);
    for warning in &scene.metadata.warnings {
        warn(WarningKind::Repaired {
            description: warning.description.to_string(),
            count: warning.count,
        });
    }
    if options.space == Space::Meters && scene.settings.axes.up == ufbx::CoordinateAxis::Unknown {
        warn(WarningKind::AxesUnknown);
    }
}

/// The name, where there is one.
fn name_of(element: &ufbx::Element) -> Option<&str> {
    Some(&*element.name).filter(|name| !name.is_empty())
}

/// Components that a 32-bit float can hold.
fn narrow<const N: usize>(what: &'static str, index: usize, values: [f64; N]) -> Result<[f32; N], FbxError> {
    match values.into_iter().find(|&value| !(value as f32).is_finite()) {
        Some(value) => Err(FbxError::NotFinite { what, index, value }),
        None => Ok(values.map(|value| value as f32)),
    }
}

/// The components of a vector.
fn components(vector: ufbx::Vec3) -> [f64; 3] {
    [vector.x, vector.y, vector.z]
}

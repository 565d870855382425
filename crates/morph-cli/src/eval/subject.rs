//! What is evaluated: a primitive with its targets built, and its weights.

use std::sync::Arc;

use morph_core::{BuildOptions, BuildReport, MorphMesh, RestStreams, WeightState};
use morph_import::Primitive;

use crate::args::EvalArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::{Loaded, rest_streams};
use crate::weights::WeightRequest;

/// A primitive, ready to be morphed.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    /// How messages name it.
    pub(super) place: String,
    pub(super) primitive: &'a Primitive,
    pub(super) rest: RestStreams,
    pub(super) mesh: Arc<MorphMesh>,
    pub(super) report: BuildReport,
    /// One per target, as the arithmetic sees them.
    pub(super) weights: Vec<f32>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        loaded: &'a Loaded,
        args: &EvalArgs,
        request: &WeightRequest,
        console: &mut Console<'_>,
    ) -> Result<Self, CliError> {
        let mesh_place = loaded.mesh_place(args.mesh);
        let file_mesh = loaded.mesh(args.mesh)?;
        let primitive = loaded.primitive(args.mesh, args.primitive)?;
        let place = loaded.primitive_place(args.mesh, args.primitive);
        if file_mesh.target_names.is_empty() && !request.asks_for_rest() {
            return Err(CliError::NoTargets {
                place: mesh_place,
                others: loaded.meshes_with_targets(),
            });
        }
        if primitive.positions.is_empty() {
            return Err(CliError::NoVertices { place });
        }
        let rest_error = |source| CliError::Rest {
            place: place.clone(),
            source,
        };
        let (rest, zeroed) = rest_streams(primitive).map_err(rest_error)?;
        tracing::debug!(zeroed, "components of the rest pose below the domain");

        let options = BuildOptions {
            position_threshold: args.position_threshold,
            direction_threshold: args.direction_threshold,
            rest: Some(&rest),
            ..BuildOptions::new(args.quantization)
        };
        // The rest pose was accepted, so the count fits.
        let vertex_count = rest.positions.len() as u32;
        let (mesh, report) = console
            .step("building the targets", || {
                MorphMesh::build(vertex_count, &primitive.targets, &options)
            })
            .map_err(|source| CliError::Build {
                place: place.clone(),
                source,
            })?;
        tracing::info!(
            entries = report.entry_count,
            dropped = report.dropped_entry_count,
            "built"
        );

        let (weights, warning) = request.resolve(mesh.names(), &file_mesh.default_weights, &mesh_place)?;
        if let Some(warning) = warning {
            console.warn(warning);
        }
        let mut state = WeightState::new(mesh.target_count());
        state
            .set_all(&weights, mesh.names())
            .map_err(CliError::weight(&mesh_place))?;
        let weights = state.values().to_vec();
        Ok(Subject {
            place,
            primitive,
            rest,
            mesh: Arc::new(mesh),
            report,
            weights,
        })
    }
}

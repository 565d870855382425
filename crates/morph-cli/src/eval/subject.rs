//! What is evaluated: a primitive with its targets built, and its weights.

use std::sync::Arc;

use morph_core::cooked::CookedPrimitive;
use morph_core::{
    BuildError, BuildOptions, BuildReport, MorphMesh, MorphedStreams, Quantization, RestStreams, SkinPose,
    WeightState, morph,
};
use morph_import::Primitive;

use crate::args::EvalArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::{Loaded, rest_streams};
use crate::pose::{check_overflow, skinned};

use super::moment::Moment;

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
        args: &EvalArgs,
        index: usize,
        moment: &Moment<'a>,
        console: &mut Console<'_>,
    ) -> Result<Self, CliError> {
        let loaded = moment.posed.loaded;
        let mesh_place = loaded.mesh_place(args.mesh);
        let file_mesh = loaded.mesh(args.mesh)?;
        let primitive = loaded.primitive(args.mesh, index)?;
        let place = loaded.primitive_place(args.mesh, index);
        if file_mesh.target_names.is_empty()
            && !moment.posed.request.weights.asks_for_rest()
            && !args.pose.skin
        {
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

        let (mesh, report) = if let Some(cooked) = loaded.cooked_primitive(args.mesh, index) {
            check_settled(loaded, cooked, args)?;
            (Arc::clone(cooked.mesh()), cooked.report().clone())
        } else {
            args.thresholds.advise(&primitive.targets, console);
            console
                .step("building the targets", || build(primitive, &rest, args))
                .map_err(|source| CliError::Build {
                    place: place.clone(),
                    source,
                })?
        };
        tracing::info!(
            entries = report.entry_count,
            dropped = report.dropped_entry_count,
            "built"
        );

        let weights = moment.weights(args.mesh, file_mesh, mesh.names(), console)?;
        let mut state = WeightState::new(mesh.target_count());
        state
            .set_all(&weights, mesh.names())
            .map_err(CliError::weight(&mesh_place))?;
        let weights = state.values().to_vec();
        Ok(Subject {
            place,
            primitive,
            rest,
            mesh,
            report,
            weights,
        })
    }

    /// Morphs on the host, before any skin.
    pub(super) fn morph(&self) -> Result<MorphedStreams, CliError> {
        let host = morph(&self.mesh, &self.rest, &self.weights).map_err(|source| CliError::Kernel {
            place: self.place.clone(),
            source,
        })?;
        check_overflow(&host)?;
        Ok(host)
    }

    /// Skins what was morphed.
    pub(super) fn skin(
        &self,
        morphed: &MorphedStreams,
        bones: &SkinPose,
    ) -> Result<MorphedStreams, CliError> {
        let weights = self.primitive.skin_weights.as_ref();
        let weights = weights.ok_or_else(|| CliError::NoSkin {
            place: self.place.clone(),
        })?;
        skinned(&self.place, morphed, weights, bones)
    }

    /// Morphs on the host, and skins where that was asked for.
    pub(super) fn on_host(&self, moment: &Moment<'_>) -> Result<MorphedStreams, CliError> {
        let morphed = self.morph()?;
        match &moment.bones {
            Some(bones) => self.skin(&morphed, bones),
            None => Ok(morphed),
        }
    }
}

fn build(
    primitive: &Primitive,
    rest: &RestStreams,
    args: &EvalArgs,
) -> Result<(Arc<MorphMesh>, BuildReport), BuildError> {
    let options = BuildOptions {
        position_threshold: args.thresholds.thresholds().position,
        direction_threshold: args.thresholds.thresholds().direction,
        rest: Some(rest),
        ..BuildOptions::new(args.quantization.unwrap_or(Quantization::F32))
    };
    // The rest pose was accepted, so the count fits.
    let vertex_count = rest.positions.len() as u32;
    let (mesh, report) = MorphMesh::build(vertex_count, &primitive.targets, &options)?;
    Ok((Arc::new(mesh), report))
}

/// Refuses options that ask for another build than that of a cooked file.
fn check_settled(loaded: &Loaded, cooked: &CookedPrimitive<'_>, args: &EvalArgs) -> Result<(), CliError> {
    let settled = |option, settled| {
        Err(CliError::Settled {
            path: loaded.path.clone(),
            option,
            settled,
        })
    };
    let stored = cooked.mesh().quantization();
    if args.quantization.is_some_and(|asked| asked != stored) {
        return settled("--quantization", format!("its deltas are stored as {stored}"));
    }
    let thresholds = [
        ("--position-threshold", args.thresholds.position_threshold),
        ("--direction-threshold", args.thresholds.direction_threshold),
    ];
    for ((option, asked), stored) in thresholds.into_iter().zip(cooked.thresholds()) {
        if asked.is_some_and(|asked| asked != stored) {
            return settled(option, format!("it was built with {stored}"));
        }
    }
    Ok(())
}

//! Skinning on the host, and the check that what comes out of morph and skin is numbers.

use morph_core::{MorphedStreams, SkinPose, SkinWeights, Stream, skin};

use crate::error::CliError;

/// Skins what was morphed; `place` names the primitive in errors.
pub(crate) fn skinned(
    place: &str,
    morphed: &MorphedStreams,
    weights: &SkinWeights,
    bones: &SkinPose,
) -> Result<MorphedStreams, CliError> {
    let skinned =
        skin(morphed, weights, bones, bones.direction_transform()).map_err(|source| CliError::Skin {
            place: place.to_owned(),
            source,
        })?;
    check_overflow(&skinned)?;
    Ok(skinned)
}

/// Refuses results that are not finite: they are outside of what hosts and devices agree on, and no file could hold
/// them.
pub(crate) fn check_overflow(result: &MorphedStreams) -> Result<(), CliError> {
    let streams = [
        (Stream::Position, Some(&result.positions)),
        (Stream::Normal, result.normals.as_ref()),
        (Stream::Tangent, result.tangents.as_ref()),
    ];
    for (stream, values) in streams {
        let found = values.and_then(|values| {
            values
                .iter()
                .position(|value| value.iter().any(|x| !x.is_finite()))
        });
        if let Some(vertex) = found {
            return Err(CliError::Overflow { stream, vertex });
        }
    }
    Ok(())
}

//! Weights that need no names: the settings that the project's tests use as well.

use std::str::FromStr;

/// Weights for any number of targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preset {
    /// All zero.
    Rest,
    /// A pattern of seven with a negative weight and one past 1, repeated.
    Mixed,
    /// All at one half.
    AllHalf,
    /// The first target at -1.
    FirstMinus1,
    /// The last target at 2.
    Last2,
    /// One target at 1.
    Only(usize),
}

impl Preset {
    const MIXED: [f32; 7] = [0.6, -0.35, 1.3, 0.0, 0.125, 0.0, 0.0];

    /// One weight per target; `None` where the preset names a target past the last one.
    pub(crate) fn weights(self, target_count: usize) -> Option<Vec<f32>> {
        let mut weights = vec![0.0; target_count];
        match self {
            Preset::Rest => {}
            Preset::Mixed => weights
                .iter_mut()
                .zip(Self::MIXED.iter().cycle())
                .for_each(|(w, &m)| *w = m),
            Preset::AllHalf => weights.fill(0.5),
            // Without targets there is no first and no last one, and the rest pose is all there is.
            Preset::FirstMinus1 => weights.iter_mut().take(1).for_each(|w| *w = -1.0),
            Preset::Last2 => weights.iter_mut().rev().take(1).for_each(|w| *w = 2.0),
            Preset::Only(slot) => *weights.get_mut(slot)? = 1.0,
        }
        Some(weights)
    }
}

/// A preset that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("there is no preset `{0}`; the presets are rest, mixed, all-half, first-minus-1, last-2 and only:K")]
pub(crate) struct UnknownPreset(String);

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(text: &str) -> Result<Self, UnknownPreset> {
        let unknown = || UnknownPreset(text.to_owned());
        Ok(match text {
            "rest" => Preset::Rest,
            "mixed" => Preset::Mixed,
            "all-half" => Preset::AllHalf,
            "first-minus-1" => Preset::FirstMinus1,
            "last-2" => Preset::Last2,
            _ => {
                let slot = text.strip_prefix("only:").ok_or_else(unknown)?;
                Preset::Only(slot.parse().map_err(|_| unknown())?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_give_the_weights_that_their_names_say() {
        let weights = |text: &str, count| {
            text.parse::<Preset>()
                .ok()
                .and_then(|preset| preset.weights(count))
        };
        assert_eq!(weights("rest", 2), Some(vec![0.0, 0.0]));
        assert_eq!(
            weights("mixed", 9),
            Some(vec![0.6, -0.35, 1.3, 0.0, 0.125, 0.0, 0.0, 0.6, -0.35])
        );
        assert_eq!(weights("all-half", 2), Some(vec![0.5, 0.5]));
        assert_eq!(weights("first-minus-1", 3), Some(vec![-1.0, 0.0, 0.0]));
        assert_eq!(weights("last-2", 3), Some(vec![0.0, 0.0, 2.0]));
        assert_eq!(weights("only:1", 2), Some(vec![0.0, 1.0]));
        assert_eq!(weights("only:2", 2), None);
        assert_eq!(weights("last-2", 0), Some(vec![]));
        for wrong in ["", "only", "only:", "only:-1", "only:x", "Mixed"] {
            assert!(wrong.parse::<Preset>().is_err(), "{wrong}");
        }
    }
}

//! Named expressions as sets of weights.
//!
//! The names are those of Apple's ARKit face tracking, which most face rigs follow.
//! Rigs that end in `_L` and `_R` in place of `Left` and `Right` are understood too, and rigs that have two sides where
//! ARKit has one target for both.

use morph_core::NameTable;

/// A face that people know by a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expression {
    /// What people call it.
    pub name: &'static str,
    /// Weights by target; `*` at the end of a name stands for both `Left` and `Right`.
    pub weights: &'static [(&'static str, f32)],
}

/// The expressions of the contact sheet, in its order. Weights past one are on purpose: morphs are linear.
pub const EXPRESSIONS: &[Expression] = &[
    Expression {
        name: "neutral",
        weights: &[],
    },
    Expression {
        name: "smile",
        weights: &[("mouthSmile*", 0.75), ("cheekSquint*", 0.4), ("eyeSquint*", 0.3)],
    },
    Expression {
        name: "laughter",
        weights: &[
            ("mouthSmile*", 0.85),
            ("jawOpen", 0.45),
            ("cheekSquint*", 0.5),
            ("eyeSquint*", 0.8),
            ("mouthUpperUp*", 0.7),
            ("browInnerUp", 0.4),
        ],
    },
    Expression {
        name: "surprise",
        weights: &[
            ("browInnerUp", 1.3),
            ("browOuterUp*", 1.3),
            ("eyeWide*", 1.2),
            ("jawOpen", 0.5),
            ("mouthFunnel", 0.35),
        ],
    },
    Expression {
        name: "fear",
        weights: &[
            ("browInnerUp", 1.4),
            ("browDown*", 0.25),
            ("eyeWide*", 1.3),
            ("mouthStretch*", 1.0),
            ("mouthLowerDown*", 0.9),
            ("jawOpen", 0.16),
        ],
    },
    Expression {
        name: "anger",
        weights: &[
            ("browDown*", 1.5),
            ("noseSneer*", 1.0),
            ("eyeSquint*", 0.5),
            ("mouthFrown*", 0.9),
            ("mouthPress*", 0.6),
            ("mouthShrugLower", 0.5),
            ("jawForward", 0.6),
        ],
    },
    Expression {
        name: "disgust",
        weights: &[
            ("noseSneer*", 1.4),
            ("browDown*", 0.8),
            ("mouthUpperUp*", 1.0),
            ("mouthFrown*", 0.6),
            ("cheekSquint*", 0.8),
            ("eyeSquint*", 0.7),
        ],
    },
    Expression {
        name: "sadness",
        weights: &[
            ("browInnerUp", 1.5),
            ("mouthFrown*", 1.2),
            ("mouthShrugLower", 0.6),
            ("eyeBlink*", 0.25),
            ("eyeLookDown*", 0.35),
        ],
    },
    Expression {
        name: "kiss",
        weights: &[("mouthPucker", 1.2), ("eyeBlink*", 0.25), ("browInnerUp", 0.5)],
    },
    Expression {
        name: "wink",
        weights: &[
            ("eyeBlinkLeft", 1.0),
            ("cheekSquintLeft", 0.3),
            ("mouthSmileLeft", 0.75),
            ("mouthSmileRight", 0.25),
            ("browOuterUpRight", 0.6),
        ],
    },
    Expression {
        name: "cheek puff",
        weights: &[("cheekPuff", 1.0), ("mouthPress*", 0.3)],
    },
    Expression {
        name: "doubt",
        weights: &[
            ("browOuterUpLeft", 1.5),
            ("browDownRight", 1.1),
            ("eyeSquintRight", 0.7),
            ("mouthLeft", 0.6),
            ("mouthPress*", 0.5),
            ("mouthFrown*", 0.4),
        ],
    },
    Expression {
        name: "jaw open",
        weights: &[("jawOpen", 1.0)],
    },
    Expression {
        name: "tongue out",
        weights: &[("jawOpen", 0.55), ("tongueOut", 1.0), ("eyeSquint*", 0.4)],
    },
    Expression {
        name: "glance",
        weights: &[
            ("eyeLookOutLeft", 0.9),
            ("eyeLookInRight", 0.9),
            ("mouthRight", 0.35),
            ("mouthSmileRight", 0.35),
            ("browOuterUp*", 0.4),
        ],
    },
];

/// An expression as weights of a certain mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Face {
    /// What people call it.
    pub name: String,
    /// One weight per target.
    pub weights: Vec<f32>,
    /// Targets that the expression asks for and the mesh lacks.
    pub missing: Vec<String>,
}

/// What a mesh can show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faces {
    /// The faces, the face at rest first.
    pub shown: Vec<Face>,
    /// Names of the expressions that the mesh lacks the targets for, or of the targets that there is no room for.
    pub left_out: Vec<String>,
    /// Whether these are named expressions, so that the mesh has a face to look at.
    pub named: bool,
}

/// The faces of a mesh: the named expressions where it has targets of these names, else one face per target.
///
/// `most` is how many faces there is room for.
/// `start` are the weights that the file asks for; a named expression does not start from them, because its name says
/// how the face looks.
pub fn faces(names: &NameTable, start: &[f32], most: usize) -> Faces {
    let mut faces = Faces {
        named: true,
        ..Faces::default()
    };
    for expression in EXPRESSIONS {
        match resolve(expression, names) {
            Some(face) => faces.shown.push(face),
            None => faces.left_out.push(expression.name.to_owned()),
        }
    }
    // A rig that knows three of the names by chance is not a face.
    if faces.shown.len() < 5 {
        return one_by_one(names, start, most);
    }
    faces.shown.truncate(most);
    faces
}

/// The weights of an expression, or `None` where the mesh lacks a target that is weighted the most in it: a smile may do
/// without its cheeks, but a tongue out not without its tongue.
fn resolve(expression: &Expression, names: &NameTable) -> Option<Face> {
    let mut face = Face {
        name: expression.name.to_owned(),
        weights: vec![0.0; names.len()],
        missing: Vec::new(),
    };
    let most = expression
        .weights
        .iter()
        .map(|(_, weight)| weight.abs())
        .fold(0.0, f32::max);
    for &(pattern, weight) in expression.weights {
        for name in targets(pattern) {
            let slots = slots(names, &name);
            if slots.is_empty() {
                if weight.abs() == most {
                    return None;
                }
                face.missing.push(name);
            }
            for slot in slots {
                face.weights[slot] += weight;
            }
        }
    }
    Some(face)
}

/// The names behind a pattern.
fn targets(pattern: &str) -> Vec<String> {
    match pattern.strip_suffix('*') {
        Some(stem) => vec![format!("{stem}Left"), format!("{stem}Right")],
        None => vec![pattern.to_owned()],
    }
}

/// The slots that stand for an ARKit name, under the spellings in use; none where the mesh has none of them.
fn slots(names: &NameTable, name: &str) -> Vec<usize> {
    if let Some(slot) = names.slot(name) {
        return vec![slot];
    }
    let spellings = match (name.strip_suffix("Left"), name.strip_suffix("Right")) {
        (Some(stem), _) => vec![format!("{stem}_L")],
        (_, Some(stem)) => vec![format!("{stem}_R")],
        _ => ["_L", "_R", "Left", "Right"]
            .iter()
            .map(|side| format!("{name}{side}"))
            .collect(),
    };
    spellings
        .iter()
        .filter_map(|spelling| names.slot(spelling))
        .collect()
}

/// The mesh at rest, and targets spread over the list, each alone at weight one; where there are few of them, also in
/// part, turned around, and past one.
fn one_by_one(names: &NameTable, start: &[f32], most: usize) -> Faces {
    let mut rest = start.to_vec();
    rest.resize(names.len(), 0.0);
    let mut faces = Faces::default();
    faces.shown.push(Face {
        name: "at rest".to_owned(),
        weights: rest.clone(),
        missing: Vec::new(),
    });
    let count = names.len().min(most.saturating_sub(1));
    let picked: Vec<usize> = (0..count).map(|index| index * names.len() / count).collect();
    for slot in (0..names.len()).filter(|slot| !picked.contains(slot)) {
        faces
            .left_out
            .push(names.name(slot).unwrap_or_default().to_owned());
    }
    for weight in [1.0, 0.5, -0.5, 1.5, 0.25, 0.75, -1.0, 2.0, -0.25, 1.25] {
        for &slot in picked.iter().take(most - faces.shown.len()) {
            let name = names.name(slot).unwrap_or_default();
            let name = if weight == 1.0 {
                name.to_owned()
            } else {
                format!("{name} x {weight}")
            };
            let mut weights = rest.clone();
            weights[slot] = weight;
            faces.shown.push(Face {
                name,
                weights,
                missing: Vec::new(),
            });
        }
    }
    faces
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use morph_core::names::vocabulary::ARKIT;
    use morph_core::{BuildOptions, MorphMesh, MorphTarget, Quantization};

    use super::*;

    fn mesh(names: &[&str]) -> MorphMesh {
        let targets: Vec<_> = names.iter().map(|name| MorphTarget::empty(*name)).collect();
        MorphMesh::build(1, &targets, &BuildOptions::new(Quantization::F32))
            .unwrap()
            .0
    }

    #[test]
    fn every_expression_resolves_whole_on_arkit_names() {
        let mesh = mesh(&ARKIT);
        let faces = faces(mesh.names(), &[], 100);
        assert_eq!(faces.shown.len(), EXPRESSIONS.len());
        assert!(faces.shown.len() >= 10 && faces.left_out.is_empty());
        for face in &faces.shown {
            assert!(face.missing.is_empty(), "{}: {:?}", face.name, face.missing);
            assert_eq!(
                face.weights.iter().all(|weight| *weight == 0.0),
                face.name == "neutral",
                "{}",
                face.name
            );
        }
        for (index, face) in faces.shown.iter().enumerate() {
            assert!(
                faces.shown[..index]
                    .iter()
                    .all(|other| other.weights != face.weights),
                "{} twice",
                face.name
            );
        }
    }

    #[test]
    fn other_spellings_are_understood_and_what_is_missing_is_said() {
        let names: Vec<String> = ARKIT
            .iter()
            .filter(|name| !name.starts_with("cheekSquint") && **name != "tongueOut" && **name != "cheekPuff")
            .map(|name| name.replace("Left", "_L").replace("Right", "_R"))
            .flat_map(|name| {
                let sides = ["_L", "_R"].map(|side| format!("{name}{side}"));
                if name == "browInnerUp" {
                    sides.to_vec()
                } else {
                    vec![name]
                }
            })
            .collect();
        // `mouthLeft` and `jawLeft` become `mouth_L` and `jaw_L` as well, which the names of sides allow for.
        let mesh = mesh(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let faces = faces(mesh.names(), &[], 100);
        let smile = faces.shown.iter().find(|face| face.name == "smile").unwrap();
        assert_eq!(smile.missing, ["cheekSquintLeft", "cheekSquintRight"]);
        assert!(smile.weights[mesh.names().slot("mouthSmile_L").unwrap()] > 0.0);
        let sadness = faces.shown.iter().find(|face| face.name == "sadness").unwrap();
        for side in ["browInnerUp_L", "browInnerUp_R"] {
            assert_eq!(sadness.weights[mesh.names().slot(side).unwrap()], 1.5);
        }
        assert_eq!(faces.left_out, ["cheek puff", "tongue out"]);
    }

    #[test]
    fn a_mesh_with_other_names_shows_its_targets() {
        let names: Vec<String> = (0..30).map(|index| format!("shape {index}")).collect();
        let mesh = mesh(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let faces = faces(mesh.names(), &[0.25], 13);
        assert_eq!(faces.shown.len(), 13);
        assert_eq!(faces.left_out.len(), 18);
        assert_eq!(faces.shown[0].weights[0], 0.25);
        assert_eq!(faces.shown[1].weights[0], 1.0);
        assert_eq!(faces.shown[12].weights.iter().sum::<f32>(), 1.25);
        let lone = self::mesh(&["only"]);
        let names: Vec<_> = self::faces(lone.names(), &[], 13)
            .shown
            .into_iter()
            .map(|face| face.name)
            .collect();
        assert_eq!(names[..4], ["at rest", "only", "only x 0.5", "only x -0.5"]);
        assert_eq!(names.len(), 11, "ten instances and the one at rest: {names:?}");
    }
}

//! Gold images: what the first frames of the project look like, looked at once and kept.
//!
//! `MORPH_RENEW_GOLD=1` (`cargo xtask gold --renew`) writes them anew; a difference is shown in `target/gold-diff/`.

use std::sync::{Arc, OnceLock};

use glam::{Mat4, Vec3};
use image::RgbaImage;
use morph_core::plan::Kernel;
use morph_core::skin::{BoneRows, DirectionTransform, InfluenceCount, SkinWeights, rows_from_columns};
use morph_core::{Aabb, MorphTarget, Quantization};
use morph_render::{Camera, HeadlessDevice, KeyLight, Material, Pass, RendererDesc, placed_positions};
use morph_tests::gold::{Gallery, compare};
use morph_tests::head::Head;
use morph_tests::recipe::Cooked;
use morph_tests::say;
use morph_vk::{MeshDesc, Method};

use crate::parts::Parts;
use crate::stage::{LAYOUT, Shot, Stage, cook};
use crate::support::on_every_driver;

const SIDE: u32 = 256;

/// Expressions of six heads: weights of jawOpen, smile, browUp, noseLong.
const FACES: [[f32; 4]; 6] = [
    [0.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 0.3, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.2, 0.0, 1.0, 1.0],
    [0.4, 1.0, 0.6, -0.4],
    [0.0, -0.8, -0.5, 0.5],
];

fn head() -> &'static Head {
    static HEAD: OnceLock<Head> = OnceLock::new();
    HEAD.get_or_init(Head::new)
}

fn cooked(targets: &[MorphTarget], quantization: Quantization) -> Cooked {
    cook(&head().positions, &head().normals, targets, quantization)
}

fn desc() -> RendererDesc {
    RendererDesc {
        shadow_map_size: SIDE,
        ..RendererDesc::new((SIDE, SIDE), LAYOUT)
    }
}

/// Seen a little from the side, with the light of a portrait.
fn shot_of(bounds: Aabb) -> Shot {
    let camera = Camera::framing(&bounds, Vec3::new(0.3, 0.08, 1.0), Camera::PORTRAIT_FOV, 1.0);
    Shot {
        view: camera.matrices(1.0),
        light: KeyLight::portrait(bounds),
    }
}

/// Heads side by side in a grid of so many columns, seen a little from the side.
struct Set {
    stage: Stage,
    shot: Shot,
}

impl Set {
    fn new(device: &HeadlessDevice, method: Method, cooked: &Cooked, columns: u32, rows: u32) -> Set {
        let mut stage = Stage::new(device, method, true, &desc());
        let mesh = stage.add_mesh(cooked, &head().indices);
        let count = columns * rows;
        stage.reserve(mesh, count);
        let (width, height) = (1.9, 2.3);
        for number in 0..count {
            let x = ((number % columns) as f32 - (columns - 1) as f32 / 2.0) * width;
            let y = ((rows - 1) as f32 / 2.0 - (number / columns) as f32) * height;
            stage.attach(mesh, Mat4::from_translation(Vec3::new(x, y, 0.0)), Material::SKIN);
        }
        let (x, y) = (columns as f32 * width / 2.0, rows as f32 * height / 2.0);
        let bounds = Aabb {
            min: [-x, -y, -0.9],
            max: [x, y, 1.1],
        };
        Set {
            stage,
            shot: shot_of(bounds),
        }
    }

    /// One instance of another mesh, in the middle.
    fn of_mesh(device: &HeadlessDevice, cooked: &Cooked, indices: &[u32], material: Material) -> Set {
        let mut stage = Stage::new(device, Method::Gather, true, &desc());
        let mesh = stage.add_mesh(cooked, indices);
        stage.attach(mesh, Mat4::IDENTITY, material);
        Set {
            stage,
            shot: shot_of(Aabb::of(&head().positions)),
        }
    }

    fn aim_at(&mut self, bounds: Aabb) {
        self.shot = shot_of(bounds);
    }

    fn face(&mut self, actor: usize, weights: [f32; 4]) {
        self.stage.set_weights(actor, &weights);
    }

    fn draw(&mut self) {
        self.stage.draw(self.shot);
    }

    fn read(&self, pass: Pass) -> RgbaImage {
        self.stage.renderer.read(pass).unwrap()
    }

    fn last_kernel(&self) -> Option<Kernel> {
        self.stage
            .rig
            .pass()
            .plan()
            .dispatches()
            .map(|it| it.kernel)
            .last()
    }
}

/// Renders on every driver and compares.
fn check(name: &str, render: impl Fn(&HeadlessDevice) -> RgbaImage) {
    let gallery = Gallery::of_the_project();
    // Lavapipe's pictures are the common ones, where it is here.
    let has_lavapipe = morph_tests::test_drivers()
        .iter()
        .any(|driver| driver.info().is_lavapipe());
    let mut is_first = true;
    let mut check_on = |wants_lavapipe: bool| {
        on_every_driver(|driver, device| {
            if driver.info().is_lavapipe() != wants_lavapipe {
                return;
            }
            let picture = render(device);
            match gallery.check(name, driver.name(), is_first, &picture) {
                Ok(difference) => say(format_args!("gold: {name} on {}: {difference}", driver.name())),
                Err(error) => panic!("{name} on {}: {error}", driver.name()),
            }
            is_first = false;
        });
    };
    if has_lavapipe {
        check_on(true);
    }
    check_on(false);
}

fn one_head(device: &HeadlessDevice, targets: &[MorphTarget], weights: [f32; 4]) -> RgbaImage {
    let mut set = Set::new(
        device,
        Method::Scatter,
        &cooked(targets, Quantization::Half),
        1,
        1,
    );
    set.face(0, weights);
    set.draw();
    assert_eq!(set.last_kernel(), Some(Kernel::Scatter));
    set.read(Pass::Color)
}

#[test]
fn scatter() {
    check("scatter", |device| one_head(device, &head().targets, FACES[4]));
}

#[test]
fn gather_x32y1() {
    check("gather_x32y1", |device| {
        let mut set = Set::new(
            device,
            Method::Gather,
            &cooked(&head().targets, Quantization::Snorm16),
            2,
            1,
        );
        set.face(0, FACES[1]);
        set.face(1, FACES[3]);
        set.draw();
        assert_eq!(set.last_kernel(), Some(Kernel::GatherX32Y1));
        set.read(Pass::Color)
    });
}

fn six_heads(device: &HeadlessDevice) -> Set {
    let mut set = Set::new(
        device,
        Method::Gather,
        &cooked(&head().targets, Quantization::Half),
        3,
        2,
    );
    set.draw();
    for (actor, face) in FACES.into_iter().enumerate() {
        set.face(actor, face);
    }
    // All six in one batch: a weight that moves nothing to look at keeps the first from resting.
    set.face(0, [1.0e-6, 0.0, 0.0, 0.0]);
    set.draw();
    set
}

#[test]
fn gather_x8y16() {
    check("gather_x8y16", |device| {
        let set = six_heads(device);
        assert!(
            set.stage
                .rig
                .pass()
                .plan()
                .dispatches()
                .any(|it| it.kernel == Kernel::GatherX8Y16)
        );
        set.read(Pass::Color)
    });
}

#[test]
fn depth() {
    check("depth", |device| six_heads(device).read(Pass::Depth));
}

#[test]
fn shadow() {
    check("shadow", |device| six_heads(device).read(Pass::Shadow));
}

#[test]
fn normal() {
    check("normal", |device| six_heads(device).read(Pass::Normal));
}

#[test]
fn motion() {
    check("motion", |device| six_heads(device).read(Pass::Motion));
}

/// Color, shadow map, motion and normals of one frame, two by two.
fn sheet(set: &Set) -> RgbaImage {
    let mut sheet = RgbaImage::new(2 * SIDE, 2 * SIDE);
    let passes = [Pass::Color, Pass::Shadow, Pass::Motion, Pass::Normal];
    for (number, pass) in (0..).zip(passes) {
        let (x, y) = (number % 2 * SIDE, number / 2 * SIDE);
        image::imageops::replace(&mut sheet, &set.read(pass), x.into(), y.into());
    }
    sheet
}

/// Four heads with open mouths, of which the first stays and the others are hidden and change meanwhile.
fn two_returned(device: &HeadlessDevice) -> Set {
    let mut set = Set::new(
        device,
        Method::Gather,
        &cooked(&head().targets, Quantization::Half),
        2,
        2,
    );
    for actor in 0..4 {
        set.face(actor, FACES[1]);
    }
    set.draw();
    for actor in [1, 2] {
        set.stage.set_visible(actor, false);
    }
    set.draw();
    // They change while nobody looks; the third stays away.
    set.face(1, FACES[2]);
    set.face(2, FACES[3]);
    set.draw();
    set.stage.set_visible(1, true);
    set.draw();
    set
}

#[test]
fn hidden_and_returned() {
    check("hidden_and_returned", |device| {
        two_returned(device).read(Pass::Color)
    });
}

/// The frame of the return in every pass: the returned head is whole in the shadow map and in the normals, and has no
/// motion, because nobody saw where it came from; the head beside the empty place moves.
#[test]
fn returned_in_every_pass() {
    check("returned_in_every_pass", |device| {
        let mut set = two_returned(device);
        // Once more, now with the third one coming back while the last one is in motion.
        set.face(3, FACES[4]);
        set.face(2, FACES[5]);
        set.stage.set_visible(2, true);
        set.draw();
        sheet(&set)
    });
}

/// Instances in motion with their shadows, all in one frame.
#[test]
fn instances_in_every_pass() {
    check("instances_in_every_pass", |device| sheet(&six_heads(device)));
}

/// A bone that turns about a point on the axis of the neck.
fn turned(about: Vec3, turn: Mat4) -> BoneRows {
    let matrix = Mat4::from_translation(about) * turn * Mat4::from_translation(-about);
    rows_from_columns(&matrix.to_cols_array_2d())
}

/// Three heads on one mesh, morphed and then carried by a neck of two bones: the two on the left share a skeleton and
/// nod alike, with an expression each; the one on the right turns by itself.
/// Color, shadow, motion and normals agree, because all draw what the one kernel wrote.
#[test]
fn morphed_and_skinned_in_every_pass() {
    check("morphed_and_skinned_in_every_pass", |device| {
        let head = head();
        let cooked = cooked(&head.targets, Quantization::Snorm16);
        // The neck stays, the skull follows the second bone, and between them both hold the skin.
        let joints = [0, 1, 0, 0].repeat(head.positions.len());
        let weights: Vec<f32> = head
            .positions
            .iter()
            .map(|[_, y, _]| ((y + 0.75) / 0.5).clamp(0.0, 1.0))
            .map(|skull| skull * skull * (3.0 - 2.0 * skull))
            .flat_map(|skull| [1.0 - skull, skull, 0.0, 0.0])
            .collect();
        let skin = SkinWeights::new(InfluenceCount::Four, joints, weights).unwrap();
        let mesh = MeshDesc::new(Arc::clone(&cooked.morph), cooked.rest.clone())
            .with_skin(Arc::new(skin), DirectionTransform::Linear);

        let mut stage = Stage::with_bones(device, Method::Gather, true, &desc(), 4);
        let prop = stage.add(mesh, &head.indices);
        stage.reserve(prop, 3);
        let nodding = stage.rig.pass_mut().add_skeleton(2).unwrap();
        let turning = stage.rig.pass_mut().add_skeleton(2).unwrap();
        for (number, skeleton) in (0..).zip([nodding, nodding, turning]) {
            let model = Mat4::from_translation(Vec3::new((number as f32 - 1.0) * 1.9, 0.0, 0.0));
            stage.attach_skinned(prop, skeleton, model, Material::SKIN);
        }
        let shot = shot_of(Aabb {
            min: [-2.9, -1.2, -0.9],
            max: [2.9, 1.3, 1.2],
        });
        stage.draw(shot);

        let neck = Vec3::new(0.0, -0.6, 0.0);
        let still = turned(neck, Mat4::IDENTITY);
        let nod = turned(neck, Mat4::from_rotation_x(0.45));
        let turn = turned(neck, Mat4::from_rotation_y(-0.7) * Mat4::from_rotation_z(0.2));
        let pass = stage.rig.pass_mut();
        pass.set_pose(nodding, &[still, nod]).unwrap();
        pass.set_pose(turning, &[still, turn]).unwrap();
        stage.set_weights(0, &FACES[1]);
        stage.set_weights(1, &FACES[2]);
        stage.set_weights(2, &FACES[3]);
        let stats = stage.draw(shot);
        assert_eq!(
            (stats.skinned_instances, stats.sent_poses, stats.dispatches),
            (3, 2, 1)
        );
        sheet(&Set { stage, shot })
    });
}

/// A head in three parts, taken apart by a table while its mouth opens.
///
/// The cap turns up like a lid, the jaw comes down and forward, the face between them stays.
/// It is drawn from both sides, because it is hollow.
#[test]
fn placed_parts_in_every_pass() {
    check("placed_parts_in_every_pass", |device| {
        let parts = Parts::of(head());
        let cooked = cook(
            &parts.positions,
            &parts.normals,
            &parts.targets,
            Quantization::Half,
        );
        let mut set = Set::of_mesh(
            device,
            &cooked,
            &parts.indices,
            Material {
                double_sided: true,
                ..Material::SKIN
            },
        );
        let [little, much] = [0.6, 1.0].map(Parts::apart);
        // Camera and shadow map are fitted to where the parts end up.
        set.aim_at(Aabb::of(&placed_positions(&parts.positions, &parts.ids, &much)));
        let placed = parts.place(device, &mut set.stage.renderer, &[&little, &much]);
        set.stage.place(0, placed.placement(0, 0));
        set.face(0, [0.3, 0.0, 0.5, 0.0]);
        set.draw();
        set.stage.place(0, placed.placement(1, 0));
        set.face(0, [0.5, 0.0, 0.5, 0.0]);
        set.draw();
        sheet(&set)
    });
}

/// The comparison must refuse the faults that it is there for, and by a margin.
#[test]
fn a_missing_target_and_wrong_normals_are_refused() {
    on_every_driver(|driver, device| {
        let targets = &head().targets;
        let right = one_head(device, targets, FACES[4]);
        let refuse = |what: &str, wrong: &RgbaImage| {
            let difference = compare(&right, wrong).unwrap();
            say(format_args!("gold: {what} on {}: {difference}", driver.name()));
            assert!(difference.excess() > 4.0, "{what}: {difference}");
        };
        for (number, target) in targets.iter().enumerate() {
            if FACES[4][number].abs() < 0.3 {
                continue;
            }
            let mut weights = FACES[4];
            weights[number] = 0.0;
            refuse(
                &format!("without {}", target.name),
                &one_head(device, targets, weights),
            );
        }
        // Normals that stay as they were at rest, and normals that turn the other way.
        let change = |change: fn(&mut MorphTarget)| -> RgbaImage {
            let mut targets = targets.clone();
            targets.iter_mut().for_each(change);
            one_head(device, &targets, FACES[4])
        };
        refuse("without normal deltas", &change(|target| target.normals = None));
        let turned = change(|target| {
            for normal in target.normals.iter_mut().flatten() {
                *normal = normal.map(|it| -it);
            }
        });
        refuse("with normal deltas turned around", &turned);
        let again = one_head(device, targets, FACES[4]);
        assert_eq!(
            compare(&right, &again).unwrap().largest,
            0,
            "the same picture twice"
        );
    });
}

//! The standard scenes: what an engine does with a pass, each in a few frames that nobody waits for.

use morph_core::Quantization::{F32, Half, Snorm16};
use morph_core::plan::BarrierKind;
use morph_core::skin::{DirectionTransform, InfluenceCount};
use morph_render::HeadlessDevice;
use morph_vk::Method;

use crate::cast::{Cast, CastDesc, Reading};
use crate::rig::RigError;

/// What a scene did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SceneReport {
    /// Frames submitted.
    pub frame_count: u32,
    /// Barriers left out.
    pub removed_count: usize,
}

/// How a scene is run.
#[derive(Debug, Clone, Copy)]
pub struct SceneDesc {
    /// Who reads the ranges.
    pub reading: Reading,
    /// A barrier that every frame leaves out: the scene is then a control.
    pub removed: Option<BarrierKind>,
}

impl SceneDesc {
    /// Every barrier is there.
    pub const fn clean(reading: Reading) -> SceneDesc {
        SceneDesc {
            reading,
            removed: None,
        }
    }
}

/// A standard scene.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// What it shows.
    pub name: &'static str,
    play: fn(&mut Cast) -> Result<(), RigError>,
    desc: fn() -> CastDesc,
}

impl Scene {
    /// Plays it on a device; a clean run is also compared with the host, bit by bit.
    ///
    /// # Errors
    /// The device failed, the pass refused, or an instance is not what the host says.
    pub fn run(&self, device: &HeadlessDevice, desc: SceneDesc) -> Result<SceneReport, RigError> {
        let cast_desc = CastDesc {
            reading: desc.reading,
            removed: desc.removed,
            ..(self.desc)()
        };
        let mut cast = Cast::new(device, cast_desc)?;
        (self.play)(&mut cast)?;
        cast.rig.wait()?;
        if desc.removed.is_none() {
            cast.check()?;
        }
        Ok(SceneReport {
            frame_count: cast.frame_count,
            removed_count: cast.removed_count,
        })
    }
}

fn gather() -> CastDesc {
    CastDesc::new(Method::Gather)
}

fn scatter() -> CastDesc {
    CastDesc::new(Method::Scatter)
}

/// Scatter: two targets or more move every vertex.
pub const SCATTER: Scene = Scene {
    name: "scatter",
    desc: scatter,
    play: |cast| {
        let mesh = cast.add_mesh(150, 3, Half)?;
        cast.attach(mesh, 3)?;
        frames(cast, 4)
    },
};

/// The gather below four instances.
pub const GATHER_X32Y1: Scene = Scene {
    name: "gather X32Y1",
    desc: gather,
    play: |cast| {
        let mesh = cast.add_mesh(150, 5, Snorm16)?;
        cast.attach(mesh, 2)?;
        frames(cast, 4)
    },
};

/// The gather from four instances on.
pub const GATHER_X8Y16: Scene = Scene {
    name: "gather X8Y16",
    desc: gather,
    play: |cast| {
        let mesh = cast.add_mesh(150, 5, F32)?;
        cast.rig.pass_mut().reserve_instances(cast.props[mesh].id, 18)?;
        cast.attach(mesh, 18)?;
        frames(cast, 4)
    },
};

/// Pipelines come after some frames: until then copies are published.
pub const DEGRADED: Scene = Scene {
    name: "degraded, then built",
    desc: || CastDesc {
        defer_pipelines: true,
        ..gather()
    },
    play: |cast| {
        let mesh = cast.add_mesh(90, 4, Half)?;
        cast.attach(mesh, 5)?;
        frames(cast, 3)?;
        cast.rig.wait()?;
        // SAFETY: the device is live and waited for; this thread alone uses the pass.
        unsafe { cast.rig.pass_mut().build_pipelines() }?;
        frames(cast, 3)
    },
};

/// The same with scatter, which copies the rest pose in every frame.
pub const DEGRADED_SCATTER: Scene = Scene {
    name: "degraded, then built, scatter",
    desc: || CastDesc {
        defer_pipelines: true,
        ..scatter()
    },
    play: DEGRADED.play,
};

/// Previous ranges for motion vectors, with frames in which nothing changes.
pub const HISTORY: Scene = Scene {
    name: "history",
    desc: || CastDesc {
        history: true,
        ..gather()
    },
    play: |cast| {
        let mesh = cast.add_mesh(120, 4, Half)?;
        cast.attach(mesh, 6)?;
        frames(cast, 3)?;
        cast.frame()?;
        cast.frame()?;
        frames(cast, 3)
    },
};

/// The same with scatter.
pub const HISTORY_SCATTER: Scene = Scene {
    name: "history, scatter",
    desc: || CastDesc {
        history: true,
        ..scatter()
    },
    play: HISTORY.play,
};

/// Instances hide, change while hidden, and return.
pub const HIDE_AND_RETURN: Scene = Scene {
    name: "hide and return",
    desc: gather,
    play: |cast| {
        let mesh = cast.add_mesh(120, 4, Half)?;
        cast.attach(mesh, 4)?;
        frames(cast, 3)?;
        cast.set_visible(0, false)?;
        cast.set_visible(2, false)?;
        frames(cast, 2)?;
        cast.set_visible(0, true)?;
        frames(cast, 1)?;
        cast.set_visible(2, true)?;
        frames(cast, 2)
    },
};

/// Meshes of several sizes and quantizations in one frame, with morphs off and on.
pub const SEVERAL_MESHES: Scene = Scene {
    name: "several meshes",
    desc: gather,
    play: several_meshes,
};

/// The same with scatter.
pub const SEVERAL_MESHES_SCATTER: Scene = Scene {
    name: "several meshes, scatter",
    desc: scatter,
    play: several_meshes,
};

fn several_meshes(cast: &mut Cast) -> Result<(), RigError> {
    for (vertex_count, target_count, quantization, instances) in [
        (33, 3, F32, 1),
        (150, 6, Half, 5),
        (63, 1, Snorm16, 2),
        (300, 12, Snorm16, 4),
    ] {
        let mesh = cast.add_mesh(vertex_count, target_count, quantization)?;
        cast.attach(mesh, instances)?;
    }
    frames(cast, 3)?;
    let id = cast.actors[1].id;
    cast.rig.pass_mut().set_morphs_enabled(id, false)?;
    frames(cast, 1)?;
    cast.rig.pass_mut().set_morphs_enabled(id, true)?;
    frames(cast, 2)
}

/// Meshes arrive in small pieces while others are animated and drawn.
pub const UPLOADS_WHILE_DRAWING: Scene = Scene {
    name: "uploads while drawing",
    desc: || CastDesc {
        upload_bytes_per_frame: 4096,
        ..gather()
    },
    play: |cast| {
        let first = cast.add_mesh(90, 2, Snorm16)?;
        cast.attach(first, 2)?;
        frames(cast, 5)?;
        let second = cast.add_mesh(210, 3, Half)?;
        cast.attach(second, 4)?;
        frames(cast, 12)
    },
};

/// Three frames in flight; meshes are sent again, instances come and go while frames are pending.
pub const IN_FLIGHT: Scene = Scene {
    name: "three frames in flight, with changes",
    desc: || CastDesc {
        frame_slot_count: 3,
        history: true,
        ..gather()
    },
    play: |cast| {
        let first = cast.add_mesh(150, 4, Half)?;
        cast.attach(first, 5)?;
        frames(cast, 4)?;
        cast.detach(1)?;
        cast.attach(first, 2)?;
        frames(cast, 2)?;
        let second = cast.add_mesh(63, 2, F32)?;
        cast.attach(second, 1)?;
        frames(cast, 2)?;
        cast.rig.pass_mut().reupload(cast.props[first].id)?;
        frames(cast, 4)?;
        while !cast.actors.is_empty() {
            cast.detach(0)?;
        }
        cast.frame()?;
        cast.attach(second, 4)?;
        frames(cast, 3)
    },
};

/// Frames are recorded and dropped while others are pending.
pub const DROPPED_FRAMES: Scene = Scene {
    name: "dropped frames",
    desc: || CastDesc {
        history: true,
        ..gather()
    },
    play: |cast| {
        let mesh = cast.add_mesh(150, 4, Half)?;
        cast.attach(mesh, 3)?;
        cast.frame()?;
        cast.rig.drop_frame()?;
        frames(cast, 3)?;
        cast.stir()?;
        cast.rig.drop_frame()?;
        frames(cast, 2)?;
        cast.stir()?;
        cast.rig.drop_frame()?;
        cast.frame()
    },
};

/// Two frames in one command buffer, where even old layers see what lies between frames.
pub const ONE_COMMAND_BUFFER: Scene = Scene {
    name: "two frames in one command buffer",
    desc: gather,
    play: |cast| {
        let mesh = cast.add_mesh(150, 4, Half)?;
        cast.attach(mesh, 2)?;
        frames(cast, 2)?;
        cast.stir()?;
        cast.two_frames_at_once()
    },
};

/// Characters of two submeshes that share a skeleton, beside instances of the same meshes that follow none.
pub const SKINNED: Scene = Scene {
    name: "skinned",
    desc: || CastDesc {
        skins: true,
        history: true,
        upload_bytes_per_frame: 8192,
        ..gather()
    },
    play: |cast| {
        let head = cast.add_skinned_mesh(130, 4, InfluenceCount::Four, DirectionTransform::Linear)?;
        let body = cast.add_skinned_mesh(210, 0, InfluenceCount::Eight, DirectionTransform::Cofactor)?;
        for _ in 0..3 {
            let skeleton = cast.add_skeleton()?;
            cast.attach_skinned(head, skeleton)?;
            cast.attach_skinned(body, skeleton)?;
        }
        cast.attach(head, 2)?;
        for _ in 0..12 {
            cast.pose()?;
            frames(cast, 1)?;
        }
        // A pose alone, then a frame in which nothing changes.
        cast.pose()?;
        cast.frame()?;
        cast.frame()?;
        cast.set_visible(0, false)?;
        cast.pose()?;
        cast.frame()?;
        cast.set_visible(0, true)?;
        cast.frame()
    },
};

/// Every scene that must be silent.
pub const SCENES: [Scene; 15] = [
    SCATTER,
    GATHER_X32Y1,
    GATHER_X8Y16,
    DEGRADED,
    DEGRADED_SCATTER,
    HISTORY,
    HISTORY_SCATTER,
    HIDE_AND_RETURN,
    SEVERAL_MESHES,
    SEVERAL_MESHES_SCATTER,
    UPLOADS_WHILE_DRAWING,
    IN_FLIGHT,
    DROPPED_FRAMES,
    ONE_COMMAND_BUFFER,
    SKINNED,
];

/// Frames with new weights in each.
fn frames(cast: &mut Cast, count: u32) -> Result<(), RigError> {
    for _ in 0..count {
        cast.stir()?;
        cast.frame()?;
    }
    Ok(())
}

//! Devices, buffers and validation: what they give and what they refuse.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use ash::vk;
use common::{Meshes, Shape, draw, drivers, exact, frame, on_every_driver, open, say};
use glam::Vec3;
use morph_core::VertexLayout;
use morph_render::{
    Buffer, BufferDesc, CaptureError, DeviceError, Feature, Frame, HeadlessDesc, HeadlessDevice, MemoryPlace,
    Pass, PassSet, RenderError, Renderer, RendererDesc, readback, upload,
};

const LAYOUT: VertexLayout = VertexLayout::POSITION_NORMAL;

#[test]
fn a_driver_is_found_by_a_part_of_its_name() {
    for driver in drivers() {
        let name = if driver.is_lavapipe() {
            "LavaPipe".to_owned()
        } else if driver.is_swiftshader() {
            "swiftshader".to_owned()
        } else {
            driver.device_name.to_uppercase()
        };
        let desc = HeadlessDesc {
            driver: Some(name),
            ..HeadlessDesc::default()
        };
        let device = HeadlessDevice::new(&desc).unwrap();
        assert_eq!(device.driver_info(), &driver);
        assert_eq!(device.device_name(), driver.device_name);
        assert!(device.limits().max_image_dimension2_d >= 4096);
        assert!(device.validation_layer().is_none());
    }
}

#[test]
fn an_unknown_driver_is_refused_with_the_list_of_what_is_here() {
    let desc = HeadlessDesc {
        driver: Some("voodoo 2".to_owned()),
        ..HeadlessDesc::default()
    };
    let error = HeadlessDevice::new(&desc).unwrap_err();
    let DeviceError::NoSuchDriver {
        wanted,
        drivers: listed,
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(wanted, "voodoo 2");
    assert!(!listed.is_empty());
    let text = error.to_string();
    assert!(
        listed.iter().all(|driver| text.contains(&driver.device_name)),
        "{text}"
    );
}

#[test]
fn a_missing_feature_is_named_with_its_device() {
    for driver in drivers() {
        let desc = HeadlessDesc {
            driver: Some(driver.device_name.clone()),
            required: vec![Feature::TimelineSemaphore, Feature::StorageBuffer16BitAccess],
            ..HeadlessDesc::default()
        };
        match HeadlessDevice::new(&desc) {
            Ok(_) => assert!(!driver.is_swiftshader(), "SwiftShader has no 16-bit storage"),
            Err(error) => {
                assert!(!driver.is_lavapipe(), "{error}");
                let text = error.to_string();
                assert!(
                    text.contains("storageBuffer16BitAccess") && text.contains(&driver.device_name),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn objects_may_end_in_any_order() {
    on_every_driver(|device| {
        let other = open(device.driver_info(), &[]);
        let log = other.message_log();
        let meshes = Meshes::new(&other, &LAYOUT, &[&Shape::cuboid(Vec3::ONE)]);
        let mut renderer = Renderer::new(&other, &exact((8, 8), LAYOUT)).unwrap();
        other.destroy();
        // The device still works for those who hold on to it.
        assert!(matches!(
            renderer.read(Pass::Color),
            Err(CaptureError::NotRecorded { pass: Pass::Color })
        ));
        drop(meshes);
        renderer.destroy();
        assert_eq!(log.messages(), []);
        renderer = Renderer::new(device, &exact((8, 8), LAYOUT)).unwrap();
        draw(device, &mut renderer, &frame(&[]));
    });
}

#[test]
fn bytes_go_to_the_device_and_back() {
    on_every_driver(|device| {
        let bytes: Vec<u8> = (0..=255).collect();
        let usage = vk::BufferUsageFlags::TRANSFER_SRC;
        let buffer = upload(device, "bytes", &bytes, usage).unwrap();
        // SAFETY: the buffer is of this device, may be copied from, and is 256 bytes long.
        let all = unsafe { readback(device, buffer.handle(), 0, 256) }.unwrap();
        assert_eq!(all, bytes);
        // SAFETY: as above.
        let part = unsafe { readback(device, buffer.handle(), 100, 8) }.unwrap();
        assert_eq!(part, bytes[100..108]);
        // SAFETY: as above.
        assert_eq!(unsafe { readback(device, buffer.handle(), 256, 0) }.unwrap(), []);
    });
}

#[test]
fn buffers_refuse_what_they_cannot_do() {
    on_every_driver(|device| {
        let desc = |size_bytes, place| BufferDesc {
            name: "small",
            size_bytes,
            usage: vk::BufferUsageFlags::TRANSFER_SRC,
            place,
        };
        assert!(matches!(
            Buffer::new(device, &desc(0, MemoryPlace::Device)),
            Err(DeviceError::EmptyBuffer { .. })
        ));
        assert!(matches!(
            upload(device, "nothing", &[], vk::BufferUsageFlags::VERTEX_BUFFER),
            Err(DeviceError::EmptyBuffer { .. })
        ));
        let mut hidden = Buffer::new(device, &desc(16, MemoryPlace::Device)).unwrap();
        // A software device may let the host reach all of its memory.
        assert!(matches!(
            hidden.write(0, &[1]),
            Ok(()) | Err(DeviceError::NotMapped { .. })
        ));
        let mut small = Buffer::new(device, &desc(16, MemoryPlace::Upload)).unwrap();
        small.write(8, &[7; 8]).unwrap();
        assert_eq!(small.bytes().unwrap()[8..], [7; 8]);
        for (offset, length) in [(9, 8), (17, 0), (u64::MAX, 8)] {
            let error = small.write(offset, &vec![0; length]).unwrap_err();
            assert!(
                matches!(error, DeviceError::OutOfRange { size_bytes: 16, .. }),
                "{error}"
            );
        }
    });
}

#[test]
fn renderers_that_cannot_be_are_refused() {
    on_every_driver(|device| {
        let refused = |desc: RendererDesc| Renderer::new(device, &desc).unwrap_err();
        let good = exact((8, 8), LAYOUT);
        let limits = device.limits();
        let limit = limits
            .max_image_dimension2_d
            .min(limits.max_framebuffer_width)
            .min(limits.max_framebuffer_height);
        for extent in [(0, 8), (8, 0), (limit + 1, 8), (u32::MAX, u32::MAX)] {
            let error = refused(RendererDesc { extent, ..good });
            assert!(
                matches!(
                    error,
                    RenderError::Extent {
                        what: "a picture",
                        ..
                    }
                ),
                "{error}"
            );
        }
        let error = refused(RendererDesc {
            extent: (limit, 1),
            supersampling: 2,
            ..good
        });
        assert!(
            matches!(
                error,
                RenderError::Extent {
                    what: "a supersampled picture",
                    ..
                }
            ),
            "{error}"
        );
        let error = refused(RendererDesc {
            shadow_map_size: 0,
            ..good
        });
        assert!(
            matches!(
                error,
                RenderError::Extent {
                    what: "a shadow map",
                    ..
                }
            ),
            "{error}"
        );
        for supersampling in [0, 5, u32::MAX] {
            let error = refused(RendererDesc {
                supersampling,
                ..good
            });
            assert!(matches!(error, RenderError::Supersampling { .. }), "{error}");
        }
        let misaligned = LAYOUT.with_position(0, 2);
        let error = refused(RendererDesc {
            layout: misaligned,
            ..good
        });
        assert!(matches!(error, RenderError::Layout(_)), "{error}");
        let long = VertexLayout::interleaved(1 << 20);
        let error = refused(RendererDesc { layout: long, ..good });
        assert!(matches!(error, RenderError::Stride { .. }), "{error}");
        for layout in [VertexLayout::SEPARATE, VertexLayout::SEPARATE_SNORM10] {
            let error = refused(RendererDesc { layout, ..good });
            assert!(matches!(error, RenderError::NotInterleaved), "{error}");
        }
    });
}

#[test]
fn a_pass_that_was_left_out_cannot_be_read() {
    on_every_driver(|device| {
        let mut renderer = Renderer::new(device, &exact((8, 8), LAYOUT)).unwrap();
        let not_recorded = |renderer: &Renderer, pass| matches!(renderer.read(pass), Err(CaptureError::NotRecorded { pass: named }) if named == pass);
        for pass in Pass::ALL {
            assert!(not_recorded(&renderer, pass), "{pass} before any frame");
        }
        for drawn in Pass::ALL {
            draw(
                device,
                &mut renderer,
                &Frame {
                    passes: PassSet::only(drawn),
                    ..frame(&[])
                },
            );
            renderer.read(drawn).unwrap();
            for pass in Pass::ALL {
                let there =
                    pass == drawn || pass == Pass::Depth || (drawn == Pass::Color && pass == Pass::Shadow);
                assert_eq!(!not_recorded(&renderer, pass), there, "{pass} after {drawn}");
            }
        }
    });
}

/// A silent run proves something only where the layer is known to speak.
#[test]
fn the_layer_reports_a_barrier_that_is_left_out() {
    for driver in drivers() {
        let device = open(&driver, &[]);
        let Some(layer) = device.validation_layer() else {
            continue;
        };
        say(&format!("{driver} under {layer}"));
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let buffers: Vec<Buffer> = (0..3)
            .map(|_| upload(&device, "control", &[0; 64], usage).unwrap())
            .collect();
        assert_eq!(device.messages(), []);
        let region = [vk::BufferCopy::default().size(64)];
        device
            .submit_once("control", |commands| {
                // SAFETY: the command buffer is recording and the buffers outlive the submit.
                unsafe {
                    device.device().cmd_copy_buffer(
                        commands,
                        buffers[0].handle(),
                        buffers[1].handle(),
                        &region,
                    );
                }
                // SAFETY: as above; that the barrier is missing is the point.
                unsafe {
                    device.device().cmd_copy_buffer(
                        commands,
                        buffers[1].handle(),
                        buffers[2].handle(),
                        &region,
                    );
                }
            })
            .unwrap();
        let messages = device.messages();
        assert!(
            messages
                .iter()
                .any(|message| message.to_string().contains("SYNC-HAZARD-READ-AFTER-WRITE")),
            "{driver}, {layer}: {messages:?}"
        );
    }
}

#[test]
fn several_frames_in_one_command_buffer_are_silent() {
    on_every_driver(|device| {
        let meshes = Meshes::new(device, &LAYOUT, &[&Shape::ball(1.0, 8)]);
        let items = [meshes.item(0)];
        let desc = RendererDesc {
            occlusion_radius: 0.1,
            supersampling: 2,
            ..exact((16, 16), LAYOUT)
        };
        let mut renderer = Renderer::new(device, &desc).unwrap();
        for _ in 0..2 {
            device
                .submit_once("frames", |commands| {
                    for passes in [
                        PassSet::ALL,
                        PassSet::FOUR,
                        PassSet::only(Pass::Depth),
                        PassSet::COLOR,
                    ] {
                        for items in [&items[..], &[], &[]] {
                            let frame = Frame {
                                passes,
                                ..frame(items)
                            };
                            // SAFETY: the command buffer is recording, the buffers outlive the submit, and uploads
                            // are visible to everything.
                            unsafe { renderer.record(commands, &frame) };
                        }
                    }
                })
                .unwrap();
            renderer.read(Pass::Color).unwrap();
        }
    });
}

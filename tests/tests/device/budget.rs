//! Deltas that pass a limit: what the log says, what is counted, and budgets that change.

use std::sync::Arc;

use morph_core::Layout;
use morph_validation::Rig;
use morph_vk::{MeshDesc, MeshState, Method, RefusalLimit};

use crate::support::{METHODS, add, assert_shows, logged, mesh, on_every_driver, small_pass};

#[test]
fn b191_a_refusal_is_told_once_with_name_bytes_budget_and_limit() {
    for (method, layout) in [
        (Method::Gather, Layout::VertexMajor),
        (Method::Scatter, Layout::Scatter),
    ] {
        on_every_driver(|_, device| {
            let cooked = mesh(300, 40);
            let asked_bytes = cooked.morph.size_bytes(layout);
            for limit in [RefusalLimit::Budget, RefusalLimit::Device, RefusalLimit::Room] {
                let mut desc = small_pass(device, method);
                match limit {
                    RefusalLimit::Budget => desc.capacities.delta_budget_bytes = asked_bytes - 4,
                    RefusalLimit::Device => {
                        desc.device.limits.max_storage_buffer_range = asked_bytes as u32 - 4;
                    }
                    // Three meshes' worth of vertices.
                    RefusalLimit::Room => {
                        desc.capacities.geometry_bytes = 3 * 12_288;
                    }
                }
                let mut rig = Rig::new(device, desc).unwrap();
                let mut id = None;
                let log = logged(|| {
                    let desc = MeshDesc::new(Arc::clone(&cooked.morph), cooked.rest.clone());
                    id = rig.pass_mut().add_mesh(desc.with_name("face of Ada")).ok();
                    let instance = rig.pass_mut().attach(id.unwrap()).unwrap();
                    for weight in [1.0, 0.5, 0.25] {
                        rig.pass_mut().set_weights(instance, &[weight; 40]).unwrap();
                        rig.frame().unwrap();
                    }
                    assert_shows(&mut rig, instance, &cooked, &[]);
                });
                let state = rig.pass().mesh_state(id.unwrap()).unwrap();
                let MeshState::Refused {
                    limit: said,
                    asked_bytes: asked,
                    budget_bytes,
                } = state
                else {
                    panic!("{state:?}")
                };
                assert_eq!((said, asked), (limit, asked_bytes));
                assert!(budget_bytes < asked_bytes);
                assert_eq!(log.lines().count(), 1, "{log}");
                for part in [
                    "WARN",
                    "face of Ada",
                    &format!("asked_bytes={asked_bytes}"),
                    &format!("budget_bytes={budget_bytes}"),
                    limit.name(),
                ] {
                    assert!(log.contains(part), "`{part}` is not in {log}");
                }
                let stats = rig.pass().stats();
                assert_eq!((stats.refused_mesh_count, stats.refused_instance_count), (1, 1));
                // Sent again, it is judged and told again.
                let log = logged(|| {
                    let state = rig.pass_mut().reupload(id.unwrap()).unwrap();
                    assert!(
                        matches!(state, MeshState::Refused { limit: it, .. } if it == limit),
                        "{state:?}"
                    );
                });
                assert_eq!(log.lines().count(), 1, "{log}");
            }
        });
    }
}

#[test]
fn a_larger_budget_counts_from_the_next_upload_on_and_a_smaller_one_evicts_nothing() {
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut desc = small_pass(device, method);
            desc.capacities.delta_budget_bytes = 0;
            let mut rig = Rig::new(device, desc).unwrap();
            let cooked = mesh(60, 4);
            let mesh = add(&mut rig, &cooked);
            let instance = rig.pass_mut().attach(mesh).unwrap();
            rig.pass_mut().set_weights(instance, &[1.0, 0.5]).unwrap();
            rig.settle().unwrap();
            rig.pass_mut().set_delta_budget(1 << 20);
            rig.settle().unwrap();
            assert_shows(&mut rig, instance, &cooked, &[]);
            rig.pass_mut().reupload(mesh).unwrap();
            rig.settle().unwrap();
            assert_shows(&mut rig, instance, &cooked, &[1.0, 0.5]);
            rig.pass_mut().set_delta_budget(0);
            rig.pass_mut().set_weights(instance, &[0.5, 0.5]).unwrap();
            rig.settle().unwrap();
            assert_shows(&mut rig, instance, &cooked, &[0.5, 0.5]);
            assert_eq!(rig.pass().mesh_state(mesh).unwrap(), MeshState::Resident);
            assert_eq!(rig.pass().stats().delta_budget_bytes, 0);
        });
    }
}

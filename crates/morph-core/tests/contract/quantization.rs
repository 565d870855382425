//! What quantization costs stays within its bound, and the report says no less.

use morph_core::{DOMAIN_MIN, Quantization, Stream, TargetView, to_domain};
use proptest::prelude::*;

use crate::support::{build, positions, quantization, scene, stream_of};

fn step(view: &TargetView<'_>, stream: Stream) -> f64 {
    f64::from(match stream {
        Stream::Position => view.position_step(),
        Stream::Normal => view.normal_step(),
        Stream::Tangent => view.tangent_step(),
    })
}

/// The most that storing one component may cost, by the definition of the quantization.
fn bound(quantization: Quantization, x: f32, step: f64) -> f64 {
    let x = f64::from(x).abs();
    let stored = match quantization {
        Quantization::F32 => 0.0,
        // Half a unit of the last of eleven bits, or half the step of subnormal halves.
        Quantization::Half => (x * 2.0_f64.powi(-11)).max(2.0_f64.powi(-25)),
        // Half a step, and the rounding of the product that decodes it.
        Quantization::Snorm16 => step / 2.0 + x * 2.0_f64.powi(-23),
        other => panic!("the test does not know {other}"),
    };
    // Values below the domain, authored or decoded, become zero.
    stored + f64::from(DOMAIN_MIN)
}

proptest! {
    #[test]
    fn every_component_is_within_the_bound_and_the_report_says_no_less(
        scene in scene(),
        quantization in quantization(),
    ) {
        let (mesh, report) = scene.build(quantization);
        for ((view, target), report) in mesh.targets().zip(&scene.targets).zip(&report.targets) {
            prop_assert_eq!(&report.name, &target.name);
            for stream in Stream::ALL {
                let Some(authored) = stream_of(target, stream) else { continue };
                let reported = match stream {
                    Stream::Position => report.worst_position_error,
                    Stream::Normal => report.worst_normal_error,
                    Stream::Tangent => report.worst_tangent_error,
                };
                let mut worst = 0.0_f64;
                for (vertex, delta) in target.vertices.iter().zip(authored) {
                    let entry = view.vertices().binary_search(vertex).ok();
                    let decoded = entry.map_or([0.0; 3], |entry| view.delta(stream, entry));
                    let mut square = 0.0;
                    for (&x, y) in delta.iter().zip(decoded) {
                        let error = (f64::from(y) - f64::from(x)).abs();
                        prop_assert!(error <= bound(quantization, x, step(&view, stream)), "{x:e} became {y:e}");
                        prop_assert!(y.to_bits() == 0 || y.abs() >= DOMAIN_MIN, "{y:e} is outside the domain");
                        prop_assert!(x != 0.0 || y.to_bits() == 0, "zero stays exactly zero");
                        square += error * error;
                    }
                    worst = worst.max(square.sqrt());
                }
                prop_assert!(worst <= f64::from(reported), "{worst} {reported}");
                prop_assert!(f64::from(reported) <= worst * (1.0 + 2.0e-7) + f64::from(f32::MIN_POSITIVE));
            }
        }
    }

    #[test]
    fn floats_are_kept_to_the_bit(scene in scene()) {
        let (mesh, _) = scene.build(Quantization::F32);
        for (view, target) in mesh.targets().zip(&scene.targets) {
            for (entry, vertex) in view.vertices().iter().enumerate() {
                let at = target.vertices.iter().position(|v| v == vertex).unwrap();
                for stream in Stream::ALL {
                    let authored = stream_of(target, stream).map_or([0.0; 3], |deltas| deltas[at]).map(to_domain);
                    prop_assert_eq!(view.delta(stream, entry).map(f32::to_bits), authored.map(f32::to_bits));
                }
            }
        }
    }

    #[test]
    fn with_zero_thresholds_exactly_what_moves_in_the_domain_stays(scene in scene(), quantization in quantization()) {
        let (mesh, report) = scene.build(quantization);
        for ((view, target), report) in mesh.targets().zip(&scene.targets).zip(&report.targets) {
            let components = |i: usize| {
                Stream::ALL.into_iter().filter_map(move |stream| stream_of(target, stream)).flat_map(move |d| d[i])
            };
            let mut moved: Vec<u32> = (0..target.vertices.len())
                .filter(|&i| components(i).any(|x| to_domain(x) != 0.0))
                .map(|i| target.vertices[i])
                .collect();
            moved.sort_unstable();
            prop_assert_eq!(view.vertices(), &moved[..]);
            prop_assert_eq!(view.entry_count(), report.entry_count);
            let authored = (0..target.vertices.len()).filter(|&i| components(i).any(|x| x != 0.0)).count();
            prop_assert_eq!(report.dropped_entry_count, (authored - moved.len()) as u64);
            let expected = if view.entry_count() == 0 { morph_core::Streams::default() } else { target.streams() };
            prop_assert_eq!(view.streams(), expected);
        }
    }

    #[test]
    fn steps_are_the_largest_component_over_32767(values in proptest::collection::vec(-5.0..5.0_f32, 3..60)) {
        let entries: Vec<(u32, [f32; 3])> =
            values.chunks_exact(3).enumerate().map(|(i, v)| (i as u32, [v[0], v[1], v[2]])).collect();
        let (mesh, report) = build(20, &[positions("a", &entries)], Quantization::Snorm16);
        let largest = values[..entries.len() * 3].iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let step = mesh.target(0).unwrap().position_step();
        prop_assert_eq!(step, largest / 32_767.0);
        let half_a_step_as_a_length = f64::from(step) * 3.0_f64.sqrt() / 2.0;
        prop_assert!(f64::from(report.worst_position_error) <= half_a_step_as_a_length + f64::from(largest) * 2.0e-7);
    }
}

#[test]
fn steps_are_one_where_there_are_none_and_zero_where_nothing_moves() {
    let targets = [positions("a", &[(0, [2.0, 0.0, 0.0])]), positions("still", &[])];
    for quantization in [Quantization::F32, Quantization::Half] {
        let (mesh, _) = build(1, &targets, quantization);
        for target in mesh.targets() {
            assert_eq!(
                (
                    target.position_step(),
                    target.normal_step(),
                    target.tangent_step()
                ),
                (1.0, 1.0, 1.0)
            );
        }
    }
    let (mesh, _) = build(1, &targets, Quantization::Snorm16);
    let steps: Vec<f32> = mesh.targets().map(|target| target.position_step()).collect();
    assert_eq!(steps, [2.0 / 32_767.0, 0.0]);
    assert_eq!(mesh.target(0).unwrap().normal_step(), 0.0);
}

#[test]
fn quantized_values_below_the_domain_become_zero_and_are_counted() {
    let small = DOMAIN_MIN * 1.000_1;
    // The step is 2^-40 / 16384, so that the smaller value's nearest count is worth a little less than 2^-40.
    let step = DOMAIN_MIN / 16_384.0;
    let just_in = DOMAIN_MIN + step * 0.25;
    let entries = [(0, [32_767.0 * step, just_in, small])];
    let (mesh, report) = build(1, &[positions("a", &entries)], Quantization::Snorm16);
    let decoded = mesh.target(0).unwrap().position(0);
    assert!(
        decoded.iter().all(|x| x.to_bits() == 0 || x.abs() >= DOMAIN_MIN),
        "{decoded:?}"
    );
    let tiny = [(0, [1.0, DOMAIN_MIN / 2.0, -1.0e-30])];
    let (mesh, tiny_report) = build(1, &[positions("a", &tiny)], Quantization::F32);
    assert_eq!(
        mesh.target(0).unwrap().position(0).map(f32::to_bits),
        [1.0_f32.to_bits(), 0, 0]
    );
    assert_eq!(tiny_report.zeroed_component_count, 2);
    assert_eq!(tiny_report.worst_position_error, DOMAIN_MIN / 2.0);
    assert_eq!(report.dropped_entry_count, 0);
}

#[test]
fn a_snorm16_step_that_pulls_a_value_below_the_domain_makes_it_zero() {
    // With this largest value, the count nearest to 2^-40 is worth less than 2^-40 by a fraction of a step.
    let largest = 1.3 * DOMAIN_MIN;
    let (mesh, report) = build(
        1,
        &[positions("a", &[(0, [largest, DOMAIN_MIN, 0.0])])],
        Quantization::Snorm16,
    );
    let step = mesh.target(0).unwrap().position_step();
    let nearest = (f64::from(DOMAIN_MIN) / f64::from(step)).round() * f64::from(step);
    assert!(
        nearest < f64::from(DOMAIN_MIN),
        "the values have to show the case"
    );
    assert_eq!(mesh.target(0).unwrap().position(0)[1].to_bits(), 0);
    assert_eq!(report.zeroed_component_count, 1);
    assert_eq!(report.worst_position_error, DOMAIN_MIN);
}

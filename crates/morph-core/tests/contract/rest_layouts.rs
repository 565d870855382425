//! Rest poses in several streams, with packed directions and with sets.

use morph_core::{
    BaseNormals, RestAttributes, RestError, RestPose, VertexAttribute, VertexFormat, VertexLayout, VertexSet,
    decode_octahedral16, decode_snorm10, encode_octahedral16, encode_snorm10,
};
use proptest::array::{uniform3, uniform4};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{bits, component};

/// Everything, in three streams, with bytes of the engine's own.
const LAYOUT: VertexLayout = VertexLayout::in_streams([16, 12, 28])
    .with_position(0, 4)
    .with_normal(1, 0, VertexFormat::Snorm10)
    .with_tangent(1, 8, VertexFormat::Snorm10)
    .with_texcoord(2, 2, 16)
    .with_color(0, 2, 0);

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

#[test]
fn every_stream_has_its_vertices_and_packed_ones_keep_what_they_are_made_from() {
    let attributes = RestAttributes {
        positions: &[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        normals: Some(&[[0.0, 0.0, 9.0], [0.0; 3]]),
        tangents: Some(&[[3.0, 0.0, 0.0, -1.0], [0.0, 0.0, -0.5, 1.0]]),
        texcoords: Some(&[[0.5, 1.0e-20], [0.25, 7.0]]),
        colors: Some(&[[0.5, -0.5, 1.5, 1.0], [0.0, 0.1, 0.2, 0.3]]),
    };
    assert_eq!(LAYOUT.validate(), Ok(()));
    let pose = RestPose::from_attributes(LAYOUT, &attributes, BaseNormals::MakeUnit).unwrap();
    let float = f32::to_bits;
    let (x, y, z) = (511, 511 << 10, 511 << 20);
    let expected: [&[u32]; 8] = [
        &[0, float(1.0), float(2.0), float(3.0)],
        &[0, float(4.0), float(5.0), float(6.0)],
        &[z, 0, x | 3 << 30],
        // An unset normal points up; the tangent is packed unit.
        &[y, 0, (0x400 - 511) << 20 | 1 << 30],
        &[float(0.5), 0, float(1.0), float(1.0), float(0.5), 0, 0],
        &[0, float(0.1), float(0.2), float(0.3), float(0.25), float(7.0), 0],
        // Behind the streams: the floats.
        &[0, 0, float(1.0), 0, float(1.0), 0],
        &[float(3.0), 0, 0, float(-1.0), 0, 0, float(-0.5), float(1.0)],
    ];
    assert_eq!(words(pose.bytes()), expected.concat());
    assert_eq!(words(pose.vertices()), expected[..6].concat());
    for stream in 0..3 {
        assert_eq!(
            words(pose.stream_vertices(stream)),
            expected[2 * stream..2 * stream + 2].concat()
        );
    }
    assert!(pose.stream_vertices(3).is_empty());
    assert_eq!(pose.zeroed_component_count(), 1);

    let streams = pose.streams();
    assert_eq!(streams.positions, attributes.positions);
    assert_eq!(streams.normals, Some(vec![[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]));
    assert_eq!(streams.tangents, Some(vec![[3.0, 0.0, 0.0], [0.0, 0.0, -0.5]]));
    let (texcoords, colors) = (pose.texcoords().unwrap(), pose.colors().unwrap());
    assert_eq!(
        (texcoords.set(), texcoords.values()),
        (2, [[0.5, 0.0], [0.25, 7.0]].as_slice())
    );
    assert_eq!(
        (colors.set(), colors.values()[0]),
        (0, [0.5, 0.0, 1.0, 1.0]),
        "colors are clamped"
    );
    let tight = pose.to_tight();
    assert_eq!(tight.layout(), VertexLayout::PACKED);
    assert_eq!(tight.streams(), streams);
    assert_eq!(words(tight.bytes())[9], float(-1.0), "the handedness is kept");
}

#[test]
fn kernels_find_the_floats_of_every_attribute() {
    let attribute = |set| LAYOUT.rest_place(VertexAttribute::Set(set));
    assert_eq!(attribute(VertexSet::Texcoord(0)), None, "another set");
    let place = attribute(VertexSet::Texcoord(2)).unwrap();
    assert_eq!((place.base_bytes, place.stride_bytes, place.offset), (28, 28, 16));
    let tangent = VertexAttribute::Stream(morph_core::Stream::Tangent);
    let place = LAYOUT.rest_place(tangent).unwrap();
    assert_eq!(
        (place.base_bytes, place.stride_bytes, place.offset),
        (56 + 12, 16, 0)
    );
    assert_eq!(LAYOUT.rest_vertex_bytes(), 56 + 12 + 16);
}

#[test]
fn sets_are_refused_like_streams() {
    let attributes = RestAttributes {
        positions: &[[0.0; 3]; 2],
        ..RestAttributes::default()
    };
    let refused = |attributes: RestAttributes<'_>| {
        RestPose::from_attributes(LAYOUT, &attributes, BaseNormals::AsGiven).unwrap_err()
    };
    let error = refused(RestAttributes {
        colors: Some(&[[0.0; 4]]),
        ..attributes
    });
    assert_eq!(
        error.to_string(),
        "1 values of COLOR_0 for 2 positions: give one for each vertex"
    );
    let error = refused(RestAttributes {
        texcoords: Some(&[[0.0, 1.0], [0.0, f32::NAN]]),
        ..attributes
    });
    assert!(
        matches!(
            error,
            RestError::SetNotFinite {
                set: VertexSet::Texcoord(2),
                vertex: 1,
                ..
            }
        ),
        "{error}"
    );
    let error = RestPose::from_vertices(LAYOUT, vec![0; 57], BaseNormals::AsGiven).unwrap_err();
    assert_eq!(
        error,
        RestError::PartialVertex {
            given_bytes: 57,
            stride_bytes: 56
        }
    );
}

proptest! {
    /// What is at rest and what a kernel writes of a vertex that no target moves are the same words.
    #[test]
    fn drawn_directions_are_always_packed_from_the_floats(
        normals in vec(uniform3(component()), 1..10),
        tangent in uniform4(component()),
        octahedral in any::<bool>(),
        make_unit in any::<bool>(),
    ) {
        let format = if octahedral { VertexFormat::Octahedral16 } else { VertexFormat::Snorm10 };
        let layout = VertexLayout::in_streams([12, 8])
            .with_normal(1, 4, format)
            .with_tangent(1, 0, VertexFormat::Snorm10);
        let count = normals.len();
        let base_normals = if make_unit { BaseNormals::MakeUnit } else { BaseNormals::AsGiven };
        let pose = RestPose::from_streams(
            layout, &vec![[0.0; 3]; count], Some(&normals), Some(&vec![tangent; count]), base_normals,
        ).unwrap();
        let streams = pose.streams();
        let (normals, tangents) = (streams.normals.unwrap(), streams.tangents.unwrap());
        let drawn = words(pose.stream_vertices(1));
        for vertex in 0..count {
            prop_assert_eq!(drawn[2 * vertex], encode_snorm10(tangents[vertex], Some(tangent[3])));
            prop_assert_eq!(drawn[2 * vertex + 1], format.encode(normals[vertex], None));
        }
        // Packed vertices given back are unpacked, and packed again within a step.
        let again = RestPose::from_vertices(layout, pose.vertices().to_vec(), BaseNormals::AsGiven).unwrap();
        for (given, word) in again.streams().normals.unwrap().iter().zip(drawn.iter().skip(1).step_by(2)) {
            let expected = if octahedral {
                decode_octahedral16(*word)
            } else {
                let [x, y, z, _] = decode_snorm10(*word);
                [x, y, z]
            };
            prop_assert_eq!(bits(&[*given]), bits(&[expected]));
        }
        let drawn_again = words(again.stream_vertices(1));
        for (a, b) in drawn.iter().zip(&drawn_again).step_by(2) {
            prop_assert_eq!(a >> 30, b >> 30, "the handedness");
            for shift in [0, 10, 20] {
                let component = |word: u32| (word << (22 - shift)) as i32 >> 22;
                prop_assert!((component(*a) - component(*b)).abs() <= 1);
            }
        }
        prop_assert_eq!(encode_octahedral16([0.0; 3]), 0);
    }
}

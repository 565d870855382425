//! Rest poses and vertex layouts.

use morph_core::{
    AttributePlace, BaseNormals, DOMAIN_MIN, LayoutError, RestError, RestPose, RestStreams, Stream,
    VertexFormat, VertexLayout, to_domain,
};
use proptest::array::{uniform3, uniform4};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{bits, component};

const AS_GIVEN: BaseNormals = BaseNormals::AsGiven;

fn bytes_of(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|x| x.to_ne_bytes()).collect()
}

fn floats_of(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

#[test]
fn the_ready_made_layouts_are_right() {
    for layout in [
        VertexLayout::PACKED,
        VertexLayout::POSITION_NORMAL,
        VertexLayout::POSITION,
        VertexLayout::SEPARATE,
        VertexLayout::SEPARATE_SNORM10,
    ] {
        assert_eq!(layout.validate(), Ok(()));
    }
    assert_eq!(VertexLayout::PACKED.vertex_bytes(), 40);
    assert_eq!(VertexLayout::SEPARATE.strides(), [12, 12, 16]);
    assert!(VertexLayout::PACKED.is_interleaved_floats());
    assert!(!VertexLayout::SEPARATE.is_interleaved_floats());
}

#[test]
fn wrong_layouts_are_refused() {
    let (packed, floats) = (VertexLayout::PACKED, VertexFormat::Float32);
    let tangents = VertexLayout::interleaved(40).with_tangent(0, 24, floats);
    let cases = [
        (
            VertexLayout::interleaved(0),
            "a stride of 0 bytes in vertex stream 0: it must be a multiple of 4 and not zero",
        ),
        (
            VertexLayout::interleaved(42),
            "a stride of 42 bytes in vertex stream 0: it must be a multiple of 4 and not zero",
        ),
        (
            VertexLayout::in_streams([12, 0, 12]).with_normal(2, 0, floats),
            "a stride of 0 bytes in vertex stream 1: it must be a multiple of 4 and not zero",
        ),
        (
            VertexLayout::in_streams([u32::MAX - 3, 12]).with_normal(1, 0, floats),
            "a vertex of 4294967304 bytes in all streams: it must be less than 2^32",
        ),
        (
            VertexLayout::in_streams([24, 12]).with_normal(0, 12, floats),
            "no attribute lies in vertex stream 1: keep the engine's own streams elsewhere",
        ),
        (
            packed.with_normal(1, 12, floats),
            "the normal lies in vertex stream 1, and there are 1: name one of them",
        ),
        (
            packed.with_color(3, u32::MAX, 0),
            "the COLOR_3 lies in vertex stream 4294967295, and there are 1: name one of them",
        ),
        (
            packed.with_normal(0, 13, floats),
            "the normal starts at byte 13: it must start at a multiple of 4",
        ),
        (
            packed.with_tangent(0, 28, floats),
            "the tangent takes bytes 28 to 44 of a vertex that has 40: lower its offset or raise the stride",
        ),
        (
            VertexLayout::interleaved(16).with_texcoord(2, 0, 12),
            "the TEXCOORD_2 takes bytes 12 to 20 of a vertex that has 16: lower its offset or raise the stride",
        ),
        (
            packed.with_position(0, 8),
            "the position and the normal share bytes of the vertex: give each its own",
        ),
        (
            packed.with_tangent(0, 12, floats),
            "the normal and the tangent share bytes of the vertex: give each its own",
        ),
        (
            tangents.with_texcoord(0, 0, 16).with_color(0, 0, 12),
            "the tangent and the COLOR_0 share bytes of the vertex: give each its own",
        ),
        (
            tangents.with_tangent(0, 24, VertexFormat::Octahedral16),
            "the tangent as an octahedral map: it has no room for the handedness; tangents are floats or 10-bit \
             signed integers",
        ),
        (
            VertexLayout {
                position: AttributePlace {
                    format: VertexFormat::Snorm10,
                    ..packed.position
                },
                ..packed
            },
            "the position as 10-bit signed integers: positions are 32-bit floats",
        ),
    ];
    for (layout, message) in cases {
        assert_eq!(layout.validate().unwrap_err().to_string(), message);
        let refused = RestPose::from_vertices(layout, Vec::new(), AS_GIVEN).unwrap_err();
        assert_eq!(refused.to_string(), message);
        assert!(RestPose::from_streams(layout, &[], None, None, AS_GIVEN).is_err());
    }
    let far = VertexLayout::POSITION.with_position(0, u32::MAX - 3);
    assert!(
        matches!(
            far.validate(),
            Err(LayoutError::PastStride {
                end: 4_294_967_304,
                ..
            })
        ),
        "no wrap in 32 bits"
    );
}

#[test]
fn attributes_may_come_in_any_order_with_other_bytes_between() {
    let layout = VertexLayout::interleaved(52)
        .with_position(0, 40)
        .with_normal(0, 20, VertexFormat::Float32)
        .with_tangent(0, 0, VertexFormat::Float32);
    assert_eq!(layout.validate(), Ok(()));
    let pose = RestPose::from_streams(
        layout,
        &[[1.0, 2.0, 3.0]],
        Some(&[[0.0, 1.0, 0.0]]),
        Some(&[[1.0, 0.0, 0.0, -1.0]]),
        AS_GIVEN,
    )
    .unwrap();
    let floats = floats_of(pose.bytes());
    assert_eq!(
        floats,
        [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]
    );
}

#[test]
fn a_rest_pose_keeps_every_byte_that_is_not_its_own() {
    // Position, a color, and the tangent with its w. The w is below the domain and not finite, and no one's
    // business.
    let layout = VertexLayout::interleaved(32).with_tangent(0, 16, VertexFormat::Float32);
    let color = f32::from_bits(0x8000_0001);
    let given = [1.0e-14, -0.0, 3.0, color, 1.0, 1.0e-30, 0.0, f32::NAN];
    let pose = RestPose::from_vertices(layout, bytes_of(&given), BaseNormals::MakeUnit).unwrap();
    let expected = [0.0, 0.0, 3.0, color, 1.0, 0.0, 0.0, f32::NAN];
    assert_eq!(pose.bytes(), bytes_of(&expected));
    assert_eq!(pose.zeroed_component_count(), 2, "-0 was zero already");
    assert_eq!((pose.vertex_count(), pose.layout()), (1, layout));
}

#[test]
fn absent_streams_are_written_as_zero_or_as_up() {
    let zero = RestPose::from_streams(VertexLayout::PACKED, &[[1.0; 3]], None, None, AS_GIVEN).unwrap();
    assert_eq!(
        floats_of(zero.bytes()),
        [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    );
    let up = RestPose::from_streams(
        VertexLayout::PACKED,
        &[[1.0; 3]],
        None,
        None,
        BaseNormals::MakeUnit,
    )
    .unwrap();
    assert_eq!(
        floats_of(up.bytes()),
        [1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    );
}

#[test]
fn a_stream_that_the_layout_lacks_is_left_out() {
    let pose = RestPose::from_streams(
        VertexLayout::POSITION,
        &[[1.0; 3]],
        Some(&[[0.0, 0.0, 9.0]]),
        None,
        AS_GIVEN,
    )
    .unwrap();
    assert_eq!(floats_of(pose.bytes()), [1.0; 3]);
    assert_eq!(pose.streams().normals, None);
}

#[test]
fn base_normals_are_made_unit_and_unset_ones_point_up() {
    let normals = [
        [0.0, 0.0, 4.0],
        [0.0; 3],
        [1.0e-14, 0.0, 0.0],
        [3.0, -4.0, 0.0],
        [1.0e30, 0.0, 1.0e-30],
    ];
    let pose = RestPose::from_streams(
        VertexLayout::POSITION_NORMAL,
        &[[0.0; 3]; 5],
        Some(&normals),
        None,
        BaseNormals::MakeUnit,
    )
    .unwrap();
    let expected = [
        [0.0, 0.0, 1.0],
        [0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.6, -0.8, 0.0],
        [1.0, 0.0, 0.0],
    ];
    assert_eq!(pose.streams().normals, Some(expected.to_vec()));
}

#[test]
fn what_is_not_finite_is_refused_with_its_place() {
    let bad = [[0.0; 3], [0.0, f32::NEG_INFINITY, 0.0]];
    let good = [[0.0; 3]; 2];
    let error = RestStreams::new(good.to_vec(), Some(bad.to_vec()), None).unwrap_err();
    assert_eq!(
        error,
        RestError::NotFinite {
            stream: Stream::Normal,
            vertex: 1,
            value: f32::NEG_INFINITY
        }
    );
    assert_eq!(
        error.to_string(),
        "the normal of vertex 1 has the component -inf; rest poses must be finite"
    );
    let error = RestPose::from_streams(VertexLayout::POSITION, &bad, None, None, AS_GIVEN).unwrap_err();
    assert!(
        matches!(
            error,
            RestError::NotFinite {
                stream: Stream::Position,
                vertex: 1,
                ..
            }
        ),
        "{error}"
    );
    let tangents = [[0.0, 0.0, 0.0, 1.0], [f32::NAN, 0.0, 0.0, 1.0]];
    let error = RestPose::from_streams(
        VertexLayout::PACKED,
        &good,
        None,
        Some(&tangents),
        BaseNormals::MakeUnit,
    )
    .unwrap_err();
    assert!(
        matches!(
            error,
            RestError::NotFinite {
                stream: Stream::Tangent,
                vertex: 1,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn streams_of_another_length_are_refused() {
    let error = RestStreams::new(vec![[0.0; 3]; 2], None, Some(vec![[0.0; 3]; 3])).unwrap_err();
    assert_eq!(
        error,
        RestError::StreamLength {
            stream: Stream::Tangent,
            expected: 2,
            found: 3
        }
    );
    assert_eq!(
        error.to_string(),
        "3 tangent values for 2 positions: give one for each vertex"
    );
    let error = RestPose::from_streams(
        VertexLayout::POSITION,
        &[[0.0; 3]; 2],
        Some(&[[0.0; 3]]),
        None,
        AS_GIVEN,
    )
    .unwrap_err();
    assert_eq!(
        error,
        RestError::StreamLength {
            stream: Stream::Normal,
            expected: 2,
            found: 1
        }
    );
}

#[test]
fn bytes_that_are_no_whole_number_of_vertices_are_refused() {
    let error = RestPose::from_vertices(VertexLayout::PACKED, vec![0; 41], AS_GIVEN).unwrap_err();
    assert_eq!(
        error,
        RestError::PartialVertex {
            given_bytes: 41,
            stride_bytes: 40
        }
    );
    assert_eq!(
        error.to_string(),
        "41 bytes are no whole number of vertices of 40 bytes: check the stride"
    );
}

#[test]
fn vertices_that_no_machine_can_hold_are_an_error_and_not_the_end() {
    let stride_bytes = u32::MAX - 3;
    let layout = VertexLayout::interleaved(stride_bytes);
    // 2¹⁶ vertices of 2³² bytes pass the 47 bits of address that a process has.
    let error = RestPose::from_streams(layout, &vec![[0.0; 3]; 1 << 16], None, None, AS_GIVEN).unwrap_err();
    assert_eq!(
        error,
        RestError::TooLarge {
            vertex_count: 1 << 16,
            stride_bytes
        }
    );
    assert_eq!(
        error.to_string(),
        "65536 vertices of 4294967292 bytes do not fit into memory: check the stride, or split the mesh"
    );
}

#[test]
fn an_empty_rest_pose_is_fine() {
    let pose =
        RestPose::from_streams(VertexLayout::PACKED, &[], Some(&[]), None, BaseNormals::MakeUnit).unwrap();
    assert_eq!((pose.vertex_count(), pose.bytes().len()), (0, 0));
    assert_eq!(pose.streams().positions, [[0.0; 3]; 0]);
}

proptest! {
    #[test]
    fn host_streams_are_the_very_values_of_the_bytes(
        positions in vec(uniform3(component()), 0..20),
        normal in uniform3(component()),
        tangent in uniform4(component()),
        make_unit in any::<bool>(),
    ) {
        let normals = vec![normal; positions.len()];
        let tangents = vec![tangent; positions.len()];
        let base_normals = if make_unit { BaseNormals::MakeUnit } else { BaseNormals::AsGiven };
        let pose =
            RestPose::from_streams(VertexLayout::PACKED, &positions, Some(&normals), Some(&tangents), base_normals)
                .unwrap();
        let floats = floats_of(pose.bytes());
        let streams = pose.streams();
        for (vertex, floats) in floats.chunks(10).enumerate() {
            prop_assert_eq!(bits(&[streams.positions[vertex]]), bits(&[[floats[0], floats[1], floats[2]]]));
            prop_assert_eq!(bits(&[positions[vertex].map(to_domain)]), bits(&[streams.positions[vertex]]));
            let [normal, direction] = [streams.normals.as_ref(), streams.tangents.as_ref()].map(|s| s.unwrap()[vertex]);
            prop_assert_eq!(bits(&[normal]), bits(&[[floats[3], floats[4], floats[5]]]));
            prop_assert_eq!(bits(&[direction]), bits(&[[floats[6], floats[7], floats[8]]]));
            prop_assert_eq!(floats[9].to_bits(), tangent[3].to_bits(), "w is kept");
            if make_unit {
                let length = normal.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
                prop_assert!((length - 1.0).abs() < 2.0e-7);
            }
        }
        // Taking the bytes in again changes nothing: the domain rule has been applied.
        let again = RestPose::from_vertices(VertexLayout::PACKED, pose.bytes().to_vec(), AS_GIVEN).unwrap();
        prop_assert_eq!(again.bytes(), pose.bytes());
        prop_assert_eq!(again.zeroed_component_count(), 0);
        let (checked, zeroed) = RestStreams::new(streams.positions.clone(), streams.normals.clone(), streams.tangents.clone()).unwrap();
        prop_assert_eq!((checked, zeroed), (streams, 0));
    }

    #[test]
    fn zeroed_components_are_counted(positions in vec(uniform3(component()), 0..20)) {
        let expected = positions.as_flattened().iter().filter(|&&x| x != 0.0 && x.abs() < DOMAIN_MIN).count() as u64;
        let (streams, zeroed) = RestStreams::new(positions.clone(), Some(positions.clone()), None).unwrap();
        prop_assert_eq!(zeroed, 2 * expected);
        prop_assert!(streams.positions.as_flattened().iter().all(|x| x.to_bits() == 0 || x.abs() >= DOMAIN_MIN));
        let pose = RestPose::from_streams(VertexLayout::POSITION, &positions, None, None, AS_GIVEN).unwrap();
        prop_assert_eq!(pose.zeroed_component_count(), expected);
    }
}

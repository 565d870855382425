//! Skinning of one vertex, written anew from the order of operations in `morph_core::skin` and from the description of what
//! lies on the device.

use super::kernels::word;

fn float(bytes: &[u8], index: usize) -> f32 {
    f32::from_bits(word(bytes, index))
}

fn domain(x: f32) -> f32 {
    if x.to_bits() & 0x7fff_ffff < 0x2b80_0000 {
        0.0
    } else {
        x
    }
}

/// Joints and weights of a vertex: the joints, two a word, before the weights.
pub(super) fn influences(skin: &[u8], count: usize, vertex: usize) -> Vec<(usize, f32)> {
    assert!(count == 4 || count == 8, "{count} influences");
    let first = vertex * (count / 2 + count);
    (0..count)
        .map(|i| {
            let pair = word(skin, first + i / 2).to_le_bytes();
            let joint = u16::from_le_bytes([pair[i % 2 * 2], pair[i % 2 * 2 + 1]]);
            (usize::from(joint), float(skin, first + count / 2 + i))
        })
        .collect()
}

/// Skins the position, normal and tangent that start at these words of `output`, where they are there.
pub(super) fn skin(
    output: &mut [u8],
    places: [Option<usize>; 3],
    influences: &[(usize, f32)],
    pose: &[u8],
    by_cofactors: bool,
) {
    let held = influences.iter().any(|(_, weight)| *weight != 0.0);
    let mut blended = [[0.0_f32; 4]; 3];
    if held {
        for (r, row) in blended.iter_mut().enumerate() {
            for (c, sum) in row.iter_mut().enumerate() {
                for (i, (joint, weight)) in influences.iter().enumerate() {
                    let product = weight * float(pose, joint * 12 + r * 4 + c);
                    *sum = if i == 0 { product } else { *sum + product };
                }
                *sum = domain(*sum);
            }
        }
    }
    let linear = blended.map(|[x, y, z, _]| [x, y, z]);
    for (stream, place) in places.into_iter().enumerate() {
        let Some(place) = place else { continue };
        let [x, y, z] = std::array::from_fn(|axis| domain(float(output, place + axis)));
        let carry = |m: [f32; 3]| (m[0] * x + m[1] * y) + m[2] * z;
        let result = match stream {
            _ if !held => [x, y, z],
            0 => blended.map(|row| carry([row[0], row[1], row[2]]) + row[3]),
            1 if by_cofactors => cofactors(&linear).map(carry),
            _ => linear.map(carry),
        };
        for (axis, component) in result.into_iter().enumerate() {
            let at = (place + axis) * 4;
            output[at..at + 4].copy_from_slice(&domain(component).to_le_bytes());
        }
    }
}

fn cofactors(m: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
    let mut c = [[0.0_f32; 3]; 3];
    for (r, row) in c.iter_mut().enumerate() {
        for (column, value) in row.iter_mut().enumerate() {
            let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (column + 1) % 3, (column + 2) % 3);
            *value = domain(m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]);
        }
    }
    let determinant = (m[0][0] * c[0][0] + m[0][1] * c[0][1]) + m[0][2] * c[0][2];
    if determinant < 0.0 {
        c.map(|row| row.map(|x| -x))
    } else {
        c
    }
}

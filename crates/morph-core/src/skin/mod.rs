//! Skinning after the morph: bones carry what the morph gave, with the same bits on host and device.
//!
//! # The arithmetic
//!
//! All in 32-bit floats; every product is rounded, then every sum, in the order written and bracketed here.
//! Never a fused multiply-add, a built-in dot or matrix product, or another order.
//! `domain(x)` is [`to_domain`](crate::to_domain): +0 where the bits without the sign are below those of 2⁻⁴⁰ (one
//! integer compare, `(bits & 0x7fffffff) < 0x2b800000`), otherwise `x`.
//! Skin weights and bone rows have had it applied where they entered ([`SkinWeights`], [`SkinPose`]).
//!
//! ```text
//! skin(vertex):
//!     joint[i], weight[i]   bones of the vertex, i = 0 .. influences - 1 (4 or 8)
//!     bone[j][r][c]         row r = 0 .. 2, column c = 0 .. 3 of bone j; column 3 moves
//!
//!     p, n, t = domain(morphed position), domain(morphed normal), domain(morphed tangent)   each component
//!     if every weight[i] == 0: the results are p, n, t
//!
//!     for r in 0 .. 2, c in 0 .. 3:
//!         m = weight[0] * bone[joint[0]][r][c]
//!         for i = 1 .. influences - 1:
//!             m = m + weight[i] * bone[joint[i]][r][c]
//!         M[r][c] = domain(m)
//!
//!     for r in 0 .. 2:
//!         position[r] = domain(((M[r][0] * p.x + M[r][1] * p.y) + M[r][2] * p.z) + M[r][3])
//!         tangent[r]  = domain( (M[r][0] * t.x + M[r][1] * t.y) + M[r][2] * t.z)
//!
//!     Linear:
//!         N[r][c] = M[r][c]                               r, c = 0 .. 2
//!     Cofactor:
//!         for r, c in 0 .. 2:
//!             let r1, r2 = the rows after r, c1, c2 = the columns after c, both counted modulo 3
//!             C[r][c] = domain(M[r1][c1] * M[r2][c2] - M[r1][c2] * M[r2][c1])
//!         determinant = (M[0][0] * C[0][0] + M[0][1] * C[0][1]) + M[0][2] * C[0][2]
//!         N[r][c] = determinant < 0 ? -C[r][c] : C[r][c]
//!
//!     for r in 0 .. 2:
//!         normal[r] = domain((N[r][0] * n.x + N[r][1] * n.y) + N[r][2] * n.z)
//! ```
//!
//! Every factor is zero or at least 2⁻⁴⁰, so no product and no sum is subnormal, and devices that flush
//! subnormals agree with those that keep them.
//! The domain is applied to results too: the sign of a zero, which devices may choose, becomes +.
//! An influence of weight zero adds a zero and may be left out.
//!
//! Results are not made unit: with bones that scale, directions come out scaled, by the scale itself with
//! [`DirectionTransform::Linear`] and by products of two scales with [`DirectionTransform::Cofactor`].
//! The cofactor matrix is the inverse transpose times the determinant, so it turns normals alike and needs no
//! division; its sign is that of the inverse transpose, so that a mirroring bone leaves normals outside.
//! Tangents lie in the surface and always go through the matrix itself.
//! The handedness in a tangent's w is not touched.

mod bounds;
mod error;
mod kernel;
mod movement;
mod pose;
mod weights;

pub use bounds::SkinBounds;
pub use error::SkinError;
pub use kernel::{skin, skin_into};
pub use movement::SkinShape;
pub use pose::{BoneRows, DirectionTransform, SkinPose, rows_from_columns};
pub use weights::{InfluenceCount, SkinWeights};

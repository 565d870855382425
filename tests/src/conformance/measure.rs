//! How far results are from what another program says, and how far they may be.

/// What two programs that compute with 32-bit floats may differ by, in units of the larger of one and the size.
pub(super) const ALLOWED: f64 = 2.0e-6;

/// The same behind a chain of matrices in 32-bit floats, one for each bone from the root.
pub(super) const ALLOWED_IN_WORLD: f64 = 4.0 * ALLOWED;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Morphed positions in the mesh's own space.
    Positions,
    /// Morphed normals, not made unit.
    Normals,
    /// Morphed tangents, not made unit, and their handedness.
    Tangents,
    /// Weights that clips give, and that in-betweens make of weights.
    Weights,
    /// Translation, rotation and scale of nodes that clips drive.
    Nodes,
    /// Positions in the world: morphed, then skinned or placed.
    World,
}

impl Quantity {
    /// All, in the order of the table's columns.
    pub const ALL: [Quantity; 6] = [
        Quantity::Positions,
        Quantity::Normals,
        Quantity::Tangents,
        Quantity::Weights,
        Quantity::Nodes,
        Quantity::World,
    ];

    /// The column's title.
    pub fn title(self) -> &'static str {
        match self {
            Quantity::Positions => "positions",
            Quantity::Normals => "normals",
            Quantity::Tangents => "tangents",
            Quantity::Weights => "weights",
            Quantity::Nodes => "nodes",
            Quantity::World => "skinned",
        }
    }
}

/// The comparison of many values of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// How many numbers were compared.
    pub value_count: u64,
    /// The difference that is the largest part of what is allowed.
    pub difference: f64,
    /// What is allowed there.
    pub allowed: f64,
}

impl Cell {
    /// The part of what is allowed that the worst difference takes; infinite where a result is no number.
    pub fn ratio(&self) -> f64 {
        ratio(self.difference, self.allowed)
    }

    /// Whether no difference is larger than what is allowed.
    pub fn passes(&self) -> bool {
        self.ratio() <= 1.0
    }

    fn add(&mut self, difference: f64, allowed: f64) {
        if self.value_count == 0 || ratio(difference, allowed) > self.ratio() {
            (self.difference, self.allowed) = (difference, allowed);
        }
        self.value_count += 1;
    }
}

fn ratio(difference: f64, allowed: f64) -> f64 {
    let ratio = difference / allowed;
    if ratio.is_nan() { f64::INFINITY } else { ratio }
}

/// One model against one program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The model's path below the folder of models.
    pub model: String,
    /// By [`Quantity::ALL`].
    cells: [Cell; Quantity::ALL.len()],
    /// What else is not as the other program has it: counts, names, start weights.
    pub faults: Vec<String>,
    /// What of the answer is not compared, and why.
    pub left_out: Vec<String>,
}

impl Row {
    pub(super) fn new(model: String) -> Self {
        Row {
            model,
            ..Row::default()
        }
    }

    /// What was compared of one kind; `None` where the answer has nothing of it.
    pub fn cell(&self, quantity: Quantity) -> Option<&Cell> {
        let cell = &self.cells[quantity as usize];
        (cell.value_count > 0).then_some(cell)
    }

    /// How many numbers were compared.
    pub fn value_count(&self) -> u64 {
        self.cells.iter().map(|cell| cell.value_count).sum()
    }

    /// Whether everything was as it should be, and anything was compared at all.
    pub fn passes(&self) -> bool {
        self.faults.is_empty()
            && self.value_count() > 0
            && self.cells.iter().all(|it| it.value_count == 0 || it.passes())
    }

    /// Notes what is not as it should be.
    pub(super) fn fault(&mut self, text: impl Into<String>) {
        self.faults.push(text.into());
    }

    /// Notes a fault unless two things are equal.
    pub(super) fn expect_equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, ours: &T, theirs: &T) {
        if ours != theirs {
            self.fault(format!("{what}: {ours:?}, and {theirs:?} by the other program"));
        }
    }

    /// Compares numbers one by one.
    pub(super) fn compare(&mut self, quantity: Quantity, ours: &[f64], theirs: &[f64], allowed: f64) {
        if ours.len() != theirs.len() {
            self.fault(format!(
                "{}: {} numbers, and {} by the other program",
                quantity.title(),
                ours.len(),
                theirs.len()
            ));
        }
        for (ours, theirs) in ours.iter().zip(theirs) {
            self.cells[quantity as usize].add((ours - theirs).abs(), allowed);
        }
    }

    /// Compares vectors one by one.
    pub(super) fn compare_vectors(
        &mut self,
        quantity: Quantity,
        ours: &[[f32; 3]],
        theirs: &[[f64; 3]],
        allowed: f64,
    ) {
        let ours: Vec<f64> = ours.as_flattened().iter().map(|&x| x.into()).collect();
        self.compare(quantity, &ours, theirs.as_flattened(), allowed);
    }
}

/// The largest magnitude of some numbers, where that is over one.
pub(super) fn size_of(values: &[f64]) -> f64 {
    values.iter().fold(1.0, |size: f64, value| size.max(value.abs()))
}

/// The longest side of a box around positions, where that is over one.
pub(super) fn extent(positions: &[[f32; 3]]) -> f64 {
    let side = |axis: usize| {
        let values = || positions.iter().map(|it| f64::from(it[axis]));
        values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
    };
    (0..3).map(side).fold(1.0, f64::max)
}

/// By how much a sum of unit vectors with such weights can be longer than one of them.
pub(super) fn weight_of(weights: &[f32]) -> f64 {
    1.0 + weights.iter().map(|weight| f64::from(weight.abs())).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ours: &[f64], theirs: &[f64]) -> Row {
        let mut row = Row::new("model".to_owned());
        row.compare(Quantity::Weights, ours, theirs, ALLOWED);
        row
    }

    #[test]
    fn rows_pass_only_where_something_was_compared_and_nothing_is_off() {
        assert!(row(&[1.0, 2.0], &[1.0, 2.0 + 1.0e-6]).passes());
        for (ours, theirs) in [
            (&[1.0, 2.0][..], &[1.0, 2.0 + 3.0e-6][..]),
            (&[f64::NAN, 2.0], &[1.0, 2.0]),
            (&[1.0, 2.0], &[1.0, f64::NAN]),
            (&[1.0], &[1.0, 2.0]),
            (&[], &[]),
        ] {
            assert!(!row(ours, theirs).passes(), "{ours:?}, {theirs:?}");
        }
        let mut named = row(&[1.0], &[1.0]);
        named.expect_equal("name", &"a", &"b");
        assert!(!named.passes());
    }

    #[test]
    fn cells_keep_the_difference_that_is_the_largest_part_of_what_is_allowed() {
        let mut row = row(&[1.0], &[1.0 + 1.0e-6]);
        row.compare(Quantity::Weights, &[100.0], &[100.0 + 1.0e-5], 1.0);
        let cell = row.cell(Quantity::Weights).copied().unwrap_or_default();
        assert!((cell.ratio() - 0.5).abs() < 1.0e-3, "{cell:?}");
        assert_eq!((cell.value_count, cell.allowed), (2, ALLOWED));
        assert_eq!(row.cell(Quantity::Normals), None);
    }
}

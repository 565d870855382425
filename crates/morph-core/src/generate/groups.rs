//! Items in groups, in two allocations for all of them.

/// Items sorted into groups that are numbered from 0; within a group they keep their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> Groups<T> {
    /// Sorts items by the groups that they come with; what names no group is left out.
    ///
    /// Takes linear time: the items are gone through twice.
    pub fn new(group_count: usize, items: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let items = items.filter(|&(group, _)| group < group_count);
        let mut starts = vec![0; group_count + 1];
        for (group, _) in items.clone() {
            starts[group + 1] += 1;
        }
        for group in 0..group_count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut sorted = vec![T::default(); starts[group_count]];
        for (group, item) in items {
            sorted[next[group]] = item;
            next[group] += 1;
        }
        Groups {
            starts,
            items: sorted,
        }
    }

    /// The items of a group; none past the last one.
    pub fn of(&self, group: usize) -> &[T] {
        match self.starts.get(group..) {
            Some(&[start, end, ..]) => &self.items[start..end],
            _ => &[],
        }
    }
}

//! Hands out ranges of a fixed number of bytes: first fit, holes joined when a range comes back.
//!
//! Ranges never move, so a handed-out offset stays good until it is released. Alignments need not be powers of two:
//! a range of vertices starts at a multiple of both the vertex stride and the device's storage offset alignment.

/// A handed-out range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Range {
    pub(crate) offset: u64,
    pub(crate) size_bytes: u64,
}

impl Range {
    fn end(self) -> u64 {
        self.offset + self.size_bytes
    }
}

#[derive(Debug, Clone)]
pub(crate) struct RangeAllocator {
    /// Holes by rising offset, never touching each other.
    holes: Vec<Range>,
}

impl RangeAllocator {
    pub(crate) fn new(size_bytes: u64) -> RangeAllocator {
        let holes = if size_bytes == 0 {
            Vec::new()
        } else {
            vec![Range {
                offset: 0,
                size_bytes,
            }]
        };
        RangeAllocator { holes }
    }

    pub(crate) fn free_bytes(&self) -> u64 {
        self.holes.iter().map(|hole| hole.size_bytes).sum()
    }

    pub(crate) fn largest_hole_bytes(&self) -> u64 {
        self.holes.iter().map(|hole| hole.size_bytes).max().unwrap_or(0)
    }

    /// `alignment` and `size_bytes` are at least one.
    pub(crate) fn allocate(&mut self, size_bytes: u64, alignment: u64) -> Option<Range> {
        let (index, start) = self.holes.iter().enumerate().find_map(|(index, hole)| {
            let start = hole.offset.checked_next_multiple_of(alignment)?;
            (start.checked_add(size_bytes)? <= hole.end()).then_some((index, start))
        })?;
        let hole = self.holes[index];
        let taken = Range {
            offset: start,
            size_bytes,
        };
        let before = Range {
            offset: hole.offset,
            size_bytes: start - hole.offset,
        };
        let behind = Range {
            offset: taken.end(),
            size_bytes: hole.end() - taken.end(),
        };
        let rest = [before, behind].into_iter().filter(|hole| hole.size_bytes > 0);
        self.holes.splice(index..=index, rest);
        Some(taken)
    }

    /// Takes back a range that `allocate` handed out.
    pub(crate) fn release(&mut self, range: Range) {
        let index = self.holes.partition_point(|hole| hole.offset < range.offset);
        debug_assert!(
            index == 0 || self.holes[index - 1].end() <= range.offset,
            "released twice"
        );
        debug_assert!(
            index == self.holes.len() || range.end() <= self.holes[index].offset,
            "released twice"
        );
        let mut joined = range;
        let mut replaced = index..index;
        if index > 0 && self.holes[index - 1].end() == joined.offset {
            joined = Range {
                offset: self.holes[index - 1].offset,
                size_bytes: self.holes[index - 1].size_bytes + joined.size_bytes,
            };
            replaced.start -= 1;
        }
        if index < self.holes.len() && self.holes[index].offset == joined.end() {
            joined.size_bytes += self.holes[index].size_bytes;
            replaced.end += 1;
        }
        self.holes.splice(replaced, [joined]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_does_not_fit_and_keeps_its_state() {
        let mut allocator = RangeAllocator::new(100);
        assert_eq!(allocator.allocate(101, 1), None);
        assert_eq!(allocator.allocate(u64::MAX, 7), None);
        assert_eq!(
            allocator.allocate(100, 1),
            Some(Range {
                offset: 0,
                size_bytes: 100
            })
        );
        assert_eq!(allocator.allocate(1, 1), None);
        assert_eq!((allocator.free_bytes(), allocator.largest_hole_bytes()), (0, 0));
    }

    #[test]
    fn an_empty_buffer_has_no_holes() {
        assert_eq!(RangeAllocator::new(0).allocate(1, 1), None);
    }

    proptest! {
        #[test]
        fn ranges_never_overlap_are_aligned_and_all_come_back(
            operations in prop::collection::vec((1u64..200, 1u64..50, any::<bool>(), any::<prop::sample::Index>()), 1..120)
        ) {
            let mut allocator = RangeAllocator::new(2000);
            let mut live: Vec<Range> = Vec::new();
            for (size, alignment, release, pick) in operations {
                if release && !live.is_empty() {
                    allocator.release(live.swap_remove(pick.index(live.len())));
                } else if let Some(range) = allocator.allocate(size, alignment) {
                    prop_assert_eq!(range.offset % alignment, 0);
                    prop_assert_eq!(range.size_bytes, size);
                    prop_assert!(range.end() <= 2000);
                    prop_assert!(live.iter().all(|it| it.end() <= range.offset || range.end() <= it.offset));
                    live.push(range);
                } else {
                    prop_assert!(allocator.largest_hole_bytes() < size + alignment - 1);
                }
                let used: u64 = live.iter().map(|it| it.size_bytes).sum();
                prop_assert_eq!(allocator.free_bytes(), 2000 - used);
            }
            for range in live.drain(..) {
                allocator.release(range);
            }
            prop_assert_eq!(allocator.holes, vec![Range { offset: 0, size_bytes: 2000 }]);
        }
    }
}

//! Where a time falls among the keys of a curve.

/// A place to start looking for a time from: the key that the last time was found at.
///
/// Played frame by frame a curve then finds its keys in a comparison or two, in either direction, instead of a search.
/// Any cursor is right for any curve and any time; it changes only how long the search takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    key: usize,
}

/// A time among keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// Exactly at a key; or before the first or after the last one, whose value holds there.
    At(usize),
    /// Between a key and the next one.
    Between(Segment),
}

/// A time strictly between two keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    /// The key before; the other one is the next.
    pub(crate) key: usize,
    /// How far the time is on the way from this key to the next, from 0 to 1.
    pub(crate) passed: f64,
    /// How far it has yet to go; its own quotient, since one minus `passed` would lose what is small.
    pub(crate) ahead: f64,
    /// From key to key, in seconds.
    pub(crate) seconds: f64,
}

/// Finds `time` among rising `times`, of which there is at least one. NaN is found at the first key.
pub(crate) fn find(times: &[f32], time: f32, cursor: &mut Cursor) -> Place {
    let starts_at = |key: usize| times.get(key).is_some_and(|&start| start <= time);
    let ends_at = |key: usize| times.get(key + 1).is_none_or(|&end| time < end);
    let mut near = [cursor.key, cursor.key.wrapping_add(1), cursor.key.wrapping_sub(1)].into_iter();
    let key = match near.find(|&key| starts_at(key) && ends_at(key)) {
        Some(key) => key,
        None => times.partition_point(|&start| start <= time).saturating_sub(1),
    };
    cursor.key = key;
    let start = times[key];
    match times.get(key + 1) {
        Some(&end) if time > start => {
            let (start, end, time) = (f64::from(start), f64::from(end), f64::from(time));
            let seconds = end - start;
            Place::Between(Segment {
                key,
                passed: (time - start) / seconds,
                ahead: (end - time) / seconds,
                seconds,
            })
        }
        _ => Place::At(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cursor_finds_the_same_place() {
        let times = [-1.0, 0.0, 0.5, 2.0, 7.0];
        let asked = [
            f32::NEG_INFINITY,
            -2.0,
            -1.0,
            -0.5,
            -0.0,
            0.0,
            0.25,
            0.5,
            1.0,
            2.0,
            6.9,
            7.0,
            8.0,
            f32::INFINITY,
        ];
        for time in asked {
            let found = find(&times, time, &mut Cursor::default());
            for key in [0, 1, 2, 3, 4, 5, 99, usize::MAX] {
                let mut cursor = Cursor { key };
                assert_eq!(
                    find(&times, time, &mut cursor),
                    found,
                    "time {time}, cursor {key}"
                );
                assert!(cursor.key < times.len());
            }
        }
    }

    #[test]
    fn a_time_that_is_no_number_is_found_at_the_first_key() {
        let mut cursor = Cursor { key: 2 };
        assert_eq!(find(&[0.0, 1.0, 2.0], f32::NAN, &mut cursor), Place::At(0));
    }
}

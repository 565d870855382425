//! Names of targets: one for every slot, all distinct.

use std::collections::{HashMap, HashSet};

use crate::warning::WarningKind;

/// Gives every node a name of its own, as [`distinct`] does, but in silence; one without is called `node_` and its index.
pub(crate) fn node_ids(names: Vec<Option<String>>) -> Vec<String> {
    distinct("node", names, |_| ())
}

/// Gives every slot a name of its own.
///
/// A slot without a name is called by `kind`, `_` and its number, as in `target_0`. A name that an earlier slot has already gets `_2`, `_3`
/// and so on behind it, passing over what another slot is called. What was changed is told through `warn`.
pub(crate) fn distinct(
    kind: &str,
    names: Vec<Option<String>>,
    mut warn: impl FnMut(WarningKind),
) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().flatten().cloned().collect();
    let mut kept: HashSet<String> = HashSet::with_capacity(names.len());
    // Where the search for a free number goes on, so that a thousand equal names take a thousand steps.
    let mut next_number: HashMap<String, u64> = HashMap::new();
    let mut free = |wanted: &str, taken: &mut HashSet<String>| loop {
        let number = next_number.entry(wanted.to_owned()).or_insert(2);
        let candidate = format!("{wanted}_{number}");
        *number += 1;
        if taken.insert(candidate.clone()) {
            return candidate;
        }
    };

    let mut result = Vec::with_capacity(names.len());
    for (slot, name) in names.into_iter().enumerate() {
        let name = match name {
            Some(name) if kept.insert(name.clone()) => name,
            Some(name) => {
                let renamed = free(&name, &mut taken);
                warn(WarningKind::TargetNameRepeated {
                    slot,
                    name,
                    renamed: renamed.clone(),
                });
                renamed
            }
            None => {
                let made_up = format!("{kind}_{slot}");
                if taken.insert(made_up.clone()) {
                    made_up
                } else {
                    free(&made_up, &mut taken)
                }
            }
        };
        result.push(name);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct_of(names: &[Option<&str>]) -> (Vec<String>, usize) {
        let mut warnings = 0;
        let names = names.iter().map(|name| name.map(str::to_owned)).collect();
        let result = distinct("target", names, |_| warnings += 1);
        (result, warnings)
    }

    #[test]
    fn names_stay_where_they_are_distinct() {
        assert_eq!(
            distinct_of(&[Some("b"), Some("a")]),
            (vec!["b".to_owned(), "a".to_owned()], 0)
        );
    }

    #[test]
    fn repeated_names_get_numbers_that_are_free() {
        let (names, warnings) = distinct_of(&[Some("a"), Some("a"), Some("a_2"), Some("a")]);
        assert_eq!(names, ["a", "a_3", "a_2", "a_4"]);
        assert_eq!(warnings, 2);
    }

    #[test]
    fn missing_names_are_made_up_by_slot() {
        let (names, warnings) = distinct_of(&[None, Some("target_2"), None]);
        assert_eq!(names, ["target_0", "target_2", "target_2_2"]);
        assert_eq!(warnings, 0);
    }
}

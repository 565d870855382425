//! `--weights "name=number,name=number"`, and other options of this form.

use std::collections::HashSet;

use crate::error::CliError;

/// Pairs of name and weight, in the order given. An empty list is the rest pose.
///
/// The number is what follows the last `=`, so that a name may contain one; a name with a comma needs a weights file.
/// Numbers that are not finite pass here and are refused by the name of their target later.
/// `option` stands in errors.
pub(crate) fn parse(list: &str, option: &'static str) -> Result<Vec<(String, f32)>, CliError> {
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    let pairs: Vec<(String, f32)> = list
        .split(',')
        .map(|part| {
            let refuse = |problem| CliError::WeightList {
                option,
                part: part.trim().to_owned(),
                problem,
            };
            if part.trim().is_empty() {
                return Err(refuse("nothing stands between two commas or at the end"));
            }
            let (name, number) = part.rsplit_once('=').ok_or_else(|| refuse("it has no weight"))?;
            let name = name.trim();
            if name.is_empty() {
                return Err(refuse("it has no name"));
            }
            let number = number.trim();
            let weight: f32 = number.parse().map_err(|_| refuse("its weight is not a number"))?;
            // Infinity in so many words is refused by the name of its target; digits were meant as a number.
            if weight.is_infinite() && number.contains(|it: char| it.is_ascii_digit()) {
                return Err(refuse(
                    "its weight does not fit 32 bits, whose largest number is about 3.4e38",
                ));
            }
            Ok((name.to_owned(), weight))
        })
        .collect::<Result<_, _>>()?;
    let mut seen = HashSet::with_capacity(pairs.len());
    match pairs.iter().find(|(name, _)| !seen.insert(name.as_str())) {
        Some((name, _)) => Err(CliError::WeightTwice {
            option,
            name: name.clone(),
        }),
        None => Ok(pairs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &str) -> Vec<(String, f32)> {
        parse(list, "--weights").unwrap_or_default()
    }

    #[test]
    fn names_may_hold_spaces_and_equals_signs() {
        let expected = vec![
            ("a b".to_owned(), 1.0),
            ("c=d".to_owned(), -0.3),
            ("e".to_owned(), 1.0e-3),
        ];
        assert_eq!(pairs(" a b = 1 ,c=d=-0.3,e=1e-3"), expected);
    }

    #[test]
    fn nothing_is_the_rest_pose() {
        assert!(parse(" ", "--weights").is_ok_and(|pairs| pairs.is_empty()));
    }

    #[test]
    fn nan_is_read_so_that_it_can_be_refused_by_name() {
        assert!(pairs("a=nan").first().is_some_and(|pair| pair.1.is_nan()));
    }

    #[test]
    fn what_is_no_pair_is_named() {
        for (list, problem) in [
            ("a", "`a` in --weights: it has no weight"),
            ("a=1,=2", "`=2` in --weights: it has no name"),
            ("a=1,b=x", "`b=x` in --weights: its weight is not a number"),
            (
                "a=1,b=1e39",
                "`b=1e39` in --weights: its weight does not fit 32 bits",
            ),
            ("a=1,b=2, a =3", "`a` is in --weights more than once"),
            (
                "a=1,",
                "`` in --weights: nothing stands between two commas or at the end",
            ),
        ] {
            let error = parse(list, "--weights")
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default();
            assert!(error.starts_with(problem), "{list}: {error}");
        }
    }
}

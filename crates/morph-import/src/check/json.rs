//! JSON that keeps the order of its members: which of two contradicting attributes is at fault depends on which comes
//! first, and the common JSON values sort them.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

/// Any JSON value.
#[derive(Debug)]
pub(super) enum Json {
    Null,
    False,
    True,
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Members),
}

/// The members of an object in the order of the file; of a name given twice the last value stands.
#[derive(Debug, Default)]
pub(super) struct Members(Vec<(String, Json)>);

impl Json {
    /// What kind of value this is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::False | Json::True => "true or false",
            Json::Number(_) => "a number",
            Json::Text(_) => "text",
            Json::List(_) => "an array",
            Json::Object(_) => "an object",
        }
    }

    /// A whole number, negative ones too. JSON has one kind of numbers, so 4.0 is whole; numbers past the range become
    /// its ends.
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Json::Number(number) if number.fract() == 0.0 => Some(*number as i64),
            _ => None,
        }
    }

    /// A whole number that is not negative, as indices are.
    pub(super) fn index(&self) -> Option<u64> {
        self.whole().and_then(|number| u64::try_from(number).ok())
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Json]> {
        match self {
            Json::List(list) => Some(list),
            _ => None,
        }
    }

    pub(super) fn object(&self) -> Option<&Members> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }
}

impl Members {
    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        self.iter()
            .find(|(member, _)| *member == name)
            .map(|(_, value)| value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps the last of several values of one name, at the place of the first.
    fn without_repetitions(members: Vec<(String, Json)>) -> Self {
        // Few names are compared sooner than hashed, and nearly all objects have few.
        const FEW: usize = 12;
        let mut kept: Vec<(String, Json)> = Vec::with_capacity(members.len());
        if members.len() <= FEW {
            for (name, value) in members {
                match kept.iter_mut().find(|(earlier, _)| *earlier == name) {
                    Some(earlier) => earlier.1 = value,
                    None => kept.push((name, value)),
                }
            }
        } else {
            let mut places: HashMap<String, usize> = HashMap::new();
            for (name, value) in members {
                if let Some(&place) = places.get(&name) {
                    kept[place].1 = value;
                } else {
                    places.insert(name.clone(), kept.len());
                    kept.push((name, value));
                }
            }
        }
        Members(kept)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct JsonVisitor;

        impl<'de> Visitor<'de> for JsonVisitor {
            type Value = Json;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(if value { Json::True } else { Json::False })
            }

            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Number(value as f64))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Number(value as f64))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
                Ok(Json::Number(value))
            }

            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::Text(value.to_owned()))
            }

            fn visit_string<E>(self, value: String) -> Result<Json, E> {
                Ok(Json::Text(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = sequence.next_element()? {
                    list.push(value);
                }
                Ok(Json::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Json::Object(Members::without_repetitions(members)))
            }
        }

        deserializer.deserialize_any(JsonVisitor)
    }
}

/// The pointer of a member or an item, with the two letters escaped that mean something in a pointer.
pub(super) fn child(pointer: &str, name: impl fmt::Display) -> String {
    let name = name.to_string();
    if name.contains(['~', '/']) {
        format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
    } else {
        format!("{pointer}/{name}")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn members_keep_their_order_and_the_last_of_a_repeated_name() {
        let names: Vec<String> = (0..20).rev().map(|n| format!("\"n{n}\": {n}")).collect();
        for text in [
            "{\"b\": 1, \"a\": 2, \"b\": 3}".to_owned(),
            format!("{{{}, \"n19\": 7}}", names.join(",")),
        ] {
            let json: Json = serde_json::from_str(&text).unwrap();
            let members = json.object().unwrap();
            let (first, value) = members.iter().next().unwrap();
            assert!(first == "b" && value.whole() == Some(3) || first == "n19" && value.whole() == Some(7));
            assert_eq!(members.iter().filter(|(name, _)| *name == first).count(), 1);
        }
    }

    #[test]
    fn whole_numbers_may_have_a_point() {
        assert_eq!(Json::Number(4.0).index(), Some(4));
        assert_eq!(Json::Number(4.5).index(), None);
        assert_eq!(
            (Json::Number(-1.0).index(), Json::Number(-1.0).whole()),
            (None, Some(-1))
        );
    }

    #[test]
    fn pointers_are_escaped() {
        assert_eq!(child("/a", "b~/c"), "/a/b~0~1c");
        assert_eq!(child("", 7), "/7");
    }
}

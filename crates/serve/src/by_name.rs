//! Parameters by name alone. serde's structs can also be read from arrays, by position, which the protocol does not have: a member
//! would be taken for another one.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};

/// Reads an object's members; an array is an error. For `#[serde(deserialize_with)]`.
///
/// # Errors
/// It is no object, or not of this type.
pub(crate) fn by_name<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(Object(PhantomData))
}

/// Reads a JSON text that is an object.
///
/// # Errors
/// As [`by_name`].
pub(crate) fn object_from_str<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let object = by_name(&mut deserializer)?;
    deserializer.end()?;
    Ok(object)
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        T::deserialize(serde::de::value::MapAccessDeserializer::new(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, Debug, PartialEq, Default)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        a: Option<u8>,
    }

    #[derive(serde::Deserialize, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[serde(default, deserialize_with = "by_name")]
        inner: Inner,
    }

    #[test]
    fn an_object_is_read_and_an_array_is_not() {
        let read = |text: &str| object_from_str::<Outer>(text).map_err(|error| error.to_string());
        assert_eq!(read("{}"), Ok(Outer { inner: Inner { a: None } }));
        assert_eq!(read(r#" {"inner":{"a":7}} "#), Ok(Outer { inner: Inner { a: Some(7) } }));
        for wrong in [r#"[{"a":7}]"#, "[]", "7", r#"{"inner":[7]}"#, r#"{"inner":[]}"#, r#"{"inner":null}"#, "{}x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        // Where it is wrong is still said.
        assert_eq!(read(r#"{"inner":{"b":7}}"#).unwrap_err(), "unknown field `b`, expected `a` at line 1 column 13");
        assert_eq!(
            read(r#"{"inner":[7]}"#).unwrap_err(),
            "invalid type: sequence, expected an object at line 1 column 9"
        );
    }
}

//! The environment in the form that `CreateProcessW` takes. Pure, and built on every system.

use std::ffi::OsString;

use crate::text::to_units;
use crate::{SpawnError, SpawnPart};

/// The most that one variable may take: name, `=`, value and NUL, in UTF-16 units (Microsoft, "Environment variables"). The block as
/// a whole has had no limit since Windows Vista.
pub const VARIABLE_LIMIT: usize = 32_767;

/// The environment block: `name=value` strings with a NUL each and one more at the end, sorted without regard to case, of names that
/// differ only in case the last one, spelt as it came last.
///
/// # Errors
/// [`SpawnError::Nul`] and [`SpawnError::TooLong`], naming the variable.
pub fn environment_block(env: &[(OsString, OsString)]) -> Result<Vec<u16>, SpawnError> {
    let mut variables: Vec<(Vec<u16>, Vec<u16>)> = Vec::with_capacity(env.len());
    for (name, value) in env {
        let mut text = to_units(name);
        // Upper case is what the system sorts and compares by; a stable sort keeps equal names in the order they came.
        let key = text.iter().map(|&unit| upper(unit)).collect();
        text.push(u16::from(b'='));
        text.extend(to_units(value));
        if text.contains(&0) {
            return Err(SpawnError::Nul { what: SpawnPart::Variable(name.clone()) });
        }
        text.push(0);
        if text.len() > VARIABLE_LIMIT {
            return Err(SpawnError::TooLong {
                what: SpawnPart::Variable(name.clone()),
                limit: VARIABLE_LIMIT,
                len: text.len(),
            });
        }
        variables.push((key, text));
    }
    variables.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut block = Vec::with_capacity(variables.iter().map(|(_, text)| text.len()).sum::<usize>() + 2);
    for (index, (key, text)) in variables.iter().enumerate() {
        if variables.get(index + 1).is_none_or(|(next, _)| next != key) {
            block.extend_from_slice(text);
        }
    }
    if block.is_empty() {
        // An empty block is two NULs: one would be read on into whatever follows.
        block.push(0);
    }
    block.push(0);
    Ok(block)
}

/// The simple upper case of one unit, as the system's table has it: never longer, and no surrogates.
fn upper(unit: u16) -> u16 {
    let Some(character) = char::from_u32(u32::from(unit)) else {
        return unit;
    };
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(single), None) => u16::try_from(u32::from(single)).unwrap_or(unit),
        _ => unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(env: &[(&str, &str)]) -> String {
        let env: Vec<(OsString, OsString)> = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        String::from_utf16(&environment_block(&env).unwrap()).unwrap()
    }

    #[test]
    fn the_block_is_sorted_and_each_name_is_there_once() {
        for (env, expected) in [
            (&[][..], "\0\0"),
            (&[("A", "1")], "A=1\0\0"),
            (&[("b", "2"), ("A", "1"), ("C", "3")], "A=1\0b=2\0C=3\0\0"),
            (&[("Path", "x"), ("PATH", "y")], "PATH=y\0\0"),
            (&[("PATH", "y"), ("a", ""), ("Path", "x")], "a=\0Path=x\0\0"),
            (&[("A_B", "1"), ("AB", "2")], "AB=2\0A_B=1\0\0"),
            (&[("é", "1"), ("É", "2")], "É=2\0\0"),
            (&[("=C:", r"C:\x")], "=C:=C:\\x\0\0"),
        ] {
            assert_eq!(block(env), expected, "{env:?}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too slow under Miri")]
    fn a_variable_is_refused_above_the_limit_and_taken_at_it() {
        let with_value = |length: usize| environment_block(&[("V".into(), "x".repeat(length).into())]);
        assert!(with_value(VARIABLE_LIMIT - 3).is_ok());
        let error = with_value(VARIABLE_LIMIT - 2).unwrap_err();
        assert!(
            matches!(&error, SpawnError::TooLong { what: SpawnPart::Variable(name), limit: 32_767, len: 32_768 } if name == "V"),
            "{error:?}"
        );
        let error = environment_block(&[("V".into(), "a\0b".into())]).unwrap_err();
        assert!(matches!(&error, SpawnError::Nul { what: SpawnPart::Variable(name) } if name == "V"), "{error:?}");
    }
}

//! TOML, as the tree that JSON is read into: so one reader reads both, and every value knows its place.

use std::borrow::Cow;

use jsonc_parser::ast::{Array, BooleanLit, NumberLit, Object, ObjectProp, ObjectPropName, StringLit, Value};
use jsonc_parser::common::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a TOML document. The error has its place.
pub(super) fn parse(text: &str) -> Result<Value<'_>, (Range, String)> {
    match DeTable::parse(text) {
        Ok(table) => {
            let place = range(table.span());
            Ok(object(text, table.into_inner(), place))
        }
        Err(error) => {
            let place = error.span().map_or_else(|| Range::from_byte_index(0), range);
            Err((place, error.message().to_owned()))
        }
    }
}

fn range(span: std::ops::Range<usize>) -> Range {
    Range { start: span.start, end: span.end }
}

fn object<'i>(text: &'i str, table: DeTable<'i>, place: Range) -> Value<'i> {
    let mut properties: Vec<_> = table.into_iter().map(|(key, value)| property(text, key, value)).collect();
    // In the order of the file, which is the order in which hooks run.
    properties.sort_by_key(|property| property.range.start);
    Value::Object(Object { range: place, properties })
}

fn property<'i>(text: &'i str, key: Spanned<Cow<'i, str>>, value: Spanned<DeValue<'i>>) -> ObjectProp<'i> {
    let key_place = range(key.span());
    let value = tree(text, value);
    let name = ObjectPropName::String(StringLit { range: key_place, value: key.into_inner() });
    ObjectProp { range: key_place, name, value }
}

fn tree<'i>(text: &'i str, value: Spanned<DeValue<'i>>) -> Value<'i> {
    let place = range(value.span());
    let written = text.get(value.span()).unwrap_or_default();
    match value.into_inner() {
        DeValue::String(value) => Value::StringLit(StringLit { range: place, value }),
        DeValue::Boolean(value) => Value::BooleanLit(BooleanLit { range: place, value }),
        DeValue::Integer(_) | DeValue::Float(_) => Value::NumberLit(NumberLit { range: place, value: written }),
        DeValue::Datetime(_) => Value::StringLit(StringLit { range: place, value: written.into() }),
        DeValue::Array(array) => {
            let elements = array.into_iter().map(|element| tree(text, element)).collect();
            Value::Array(Array { range: place, elements })
        }
        DeValue::Table(table) => object(text, table, place),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::dialect::Dialect;

    #[test]
    fn hooks_of_codex_stand_in_toml() {
        let text = "model = \"o9\"\nport = 0x1F\n\n[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n\n[[hooks.PreToolUse.hooks]]\n\
                    type = \"command\"\ncommand = '''python3 \"x.py\"'''\ntimeout = 15\n\n[hooks.state.x]\ntrusted_hash = \"h\"\n";
        let config = Config::parse(text, "config.toml").unwrap();
        assert_eq!(config.warnings(), []);
        let hook = &config.hooks()[0];
        assert_eq!((hook.dialect, hook.command.as_str()), (Dialect::Codex, "python3 \"x.py\""));
        assert_eq!(hook.timeout.as_secs(), 15);
        assert_eq!(hook.matcher.pattern(), Some("^Bash$"));
        assert_eq!(hook.place.as_ref().unwrap().to_string(), "config.toml:7:1");
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let error = |text: &str| Config::parse(text, "config.toml").unwrap_err().to_string();
        assert!(error("[hooks\n").starts_with("config.toml:1:7: "), "{}", error("[hooks\n"));
        assert_eq!(error("notify = 3\n"), "config.toml:1:10: `notify` must be an array of strings, found a number");
    }
}

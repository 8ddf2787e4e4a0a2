//! One JSON text for one value (RFC 8785), and its SHA-256.
//!
//! It stands apart because everything that is compared by hash (an approved input, a duplicate, a
//! drifted definition) has to mean the same bytes. A value that two parsers may read differently
//! has no such bytes, so it is [`NotCanonical`] and never hashed: a duplicate key, half a surrogate
//! pair, a number that no double holds. Integers beyond 2^53 round to the nearest double, as RFC
//! 8785 and JavaScript both do, so that the hash is of the number that runs.
//!
//! Parsing is `serde_json`'s with duplicate keys refused, writing is `serde_json_canonicalizer`'s
//! (checked here against the vectors of the RFC): number formatting is too easy to get almost right.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

/// How many arrays and objects may stand inside each other: the 128 levels of `serde_json`, the
/// innermost value counted.
pub const MAX_NESTING: usize = 127;

const DUPLICATE_KEY: &str = "duplicate key";

/// Why a text has no canonical form. The sentences name nothing of the text itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCanonical {
    /// Two readers would keep different ones.
    #[error("the same key stands twice in one object")]
    DuplicateKey,
    /// It has no UTF-8 form.
    #[error("a string holds half of a surrogate pair")]
    LoneSurrogate,
    /// It would become infinite.
    #[error("a number is larger than a double can hold")]
    NumberRange,
    /// Deeper than [`MAX_NESTING`].
    #[error("it is nested deeper than {MAX_NESTING} levels")]
    TooDeep,
    /// Not JSON at all.
    #[error("it is not JSON (line {line}, column {column})")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
    },
}

/// The canonical text of the JSON value in `text`.
pub fn canonical(text: &str) -> Result<String, NotCanonical> {
    let Unambiguous(value) = serde_json::from_str(text).map_err(|error| reason(&error))?;
    serde_json_canonicalizer::to_string(&value).map_err(|error| reason(&error))
}

/// The SHA-256 of the canonical text, in lower-case hex.
pub fn canonical_hash(text: &str) -> Result<String, NotCanonical> {
    Ok(sha256_hex(&canonical(text)?))
}

/// What tells one definition of a tool from another: the canonical hash of its JSON.
pub fn fingerprint(definition: &str) -> Result<String, NotCanonical> {
    canonical_hash(definition)
}

/// The SHA-256 of `text` in lower-case hex.
pub fn sha256_hex(text: &str) -> String {
    use fmt::Write as _;
    Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

/// `serde_json` keeps its error kinds to itself, so they are read off its fixed sentences; the rows
/// below would fail if a new version worded them differently, and the fallback is a refusal too.
fn reason(error: &serde_json::Error) -> NotCanonical {
    let sentence = error.to_string();
    let starts = |prefix: &str| sentence.starts_with(prefix);
    if starts(DUPLICATE_KEY) {
        NotCanonical::DuplicateKey
    } else if starts("lone leading surrogate") || starts("unexpected end of hex escape") {
        NotCanonical::LoneSurrogate
    } else if starts("number out of range") {
        NotCanonical::NumberRange
    } else if starts("recursion limit exceeded") {
        NotCanonical::TooDeep
    } else {
        NotCanonical::Syntax {
            line: error.line(),
            column: error.column(),
        }
    }
}

/// A value whose objects have no key twice. [`Value`] itself keeps the last one in silence.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Unambiguous(value))) = entries.next_entry::<String, _>()? {
            if object.insert(key, value).is_some() {
                return Err(de::Error::custom(DUPLICATE_KEY));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(canonical(text).as_deref(), Ok(expected), "{text}");
    }

    #[track_caller]
    fn refused(text: &str, expected: &NotCanonical) {
        assert_eq!(canonical(text).as_ref(), Err(expected), "{text}");
    }

    #[test]
    fn numbers_are_written_as_the_rfc_writes_them() {
        check("333333333.33333329", "333333333.3333333");
        check("1e21", "1e+21");
        check("1E30", "1e+30");
        check("1e-7", "1e-7");
        check("0.0000010", "0.000001");
        check("4.50", "4.5");
        check("2e-3", "0.002");
        check("0.000000000000000000000000001", "1e-27");
        check("-0", "0");
        check("-0.0", "0");
        check("5e-324", "5e-324");
        check("1.7976931348623157e308", "1.7976931348623157e+308");
        check("295147905179352830000", "295147905179352830000");
        check("999999999999999900000", "999999999999999900000");
        check("1000000000000000000000", "1e+21");
        check("9007199254740993", "9007199254740992");
        check("18446744073709551615", "18446744073709552000");
        check("1e-400", "0");
    }

    #[test]
    fn the_example_of_section_3_2_2_comes_out_byte_for_byte() {
        check(
            r#"{
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }"#,
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#,
        );
    }

    #[test]
    fn keys_are_ordered_by_their_utf16_units() {
        // In UTF-8 the emoji (U+1F600) comes after U+FB33; its first UTF-16 unit, D83D, comes before.
        check(
            r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
        );
        check("{\"\u{ff21}\":1,\"😀\":2}", "{\"😀\":2,\"\u{ff21}\":1}");
        check(r#"{"10":1,"9":2,"":3}"#, r#"{"":3,"10":1,"9":2}"#);
    }

    #[test]
    fn names_that_javascript_knows_are_keys_like_any_other() {
        check(
            r#"{"__proto__":{"b":1,"a":2},"constructor":null}"#,
            r#"{"__proto__":{"a":2,"b":1},"constructor":null}"#,
        );
    }

    #[test]
    fn strings_are_not_normalised_and_escape_only_what_they_must() {
        check(
            r#""e\u0301 \u2028 \u007f \/""#,
            "\"e\u{301} \u{2028} \u{7f} /\"",
        );
        check(r#""\b\f\n\r\t\u0000\u001F""#, r#""\b\f\n\r\t\u0000\u001f""#);
    }

    #[test]
    fn a_key_that_stands_twice_is_refused_however_it_is_spelt() {
        refused(r#"{"a":1,"a":1}"#, &NotCanonical::DuplicateKey);
        refused(r#"[{"x":{"a":1,"\u0061":2}}]"#, &NotCanonical::DuplicateKey);
    }

    #[test]
    fn half_a_surrogate_pair_is_refused_in_values_and_keys() {
        refused(r#""\ud800""#, &NotCanonical::LoneSurrogate);
        refused(r#""\udc00""#, &NotCanonical::LoneSurrogate);
        refused(r#""\ud800x""#, &NotCanonical::LoneSurrogate);
        refused(r#""\ud800\ud800""#, &NotCanonical::LoneSurrogate);
        refused(r#"{"\udead":1}"#, &NotCanonical::LoneSurrogate);
    }

    #[test]
    fn numbers_beyond_a_double_are_refused() {
        refused("1e400", &NotCanonical::NumberRange);
        refused("-1e309", &NotCanonical::NumberRange);
    }

    #[test]
    fn depth_is_bounded_and_never_a_crash() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        check(&nested(MAX_NESTING), &nested(MAX_NESTING));
        refused(&nested(MAX_NESTING + 1), &NotCanonical::TooDeep);
        refused(&"[".repeat(1_000_000), &NotCanonical::TooDeep);
        refused(&"{\"a\":".repeat(1_000_000), &NotCanonical::TooDeep);
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "",
            "undefined",
            "NaN",
            "Infinity",
            "{a:1}",
            "[1,]",
            "1 2",
            "01",
            "\"\t\"",
        ] {
            assert!(
                matches!(canonical(text), Err(NotCanonical::Syntax { .. })),
                "{text}"
            );
        }
    }

    #[test]
    fn the_hash_is_sha_256_in_hex() {
        assert_eq!(
            canonical_hash(" { } ").unwrap(),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }

    #[test]
    fn the_order_of_keys_does_not_change_a_fingerprint() {
        assert_eq!(
            fingerprint(r#"{"name":"a","inputSchema":{"type":"object"}}"#),
            fingerprint(r#"{"inputSchema":{"type":"object"},"name":"a"}"#)
        );
    }

    proptest! {
        #[test]
        fn canonical_text_is_its_own_canonical_text(bits in any::<u64>(), word in ".{0,12}") {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let text = serde_json::json!({ "n": number, (&word): [&word] }).to_string();
            let once = canonical(&text).unwrap();
            prop_assert_eq!(canonical(&once), Ok(once.clone()));
            let back: Value = serde_json::from_str(&once).unwrap();
            prop_assert!(word == "n" || back["n"].as_f64() == Some(number));
        }

        #[test]
        fn any_text_is_an_answer(text in ".*") {
            let _ = canonical(&text);
        }
    }
}

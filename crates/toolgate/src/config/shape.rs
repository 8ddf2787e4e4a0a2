//! Reading typed values out of the tree.
//!
//! One place asks "is this a list of texts", so that every key complains in the same words: what
//! was written, what it has to be, and where. What the values mean is the business of the files
//! named after the keys.

use super::{
    Warning,
    keys::Key,
    node::{Map, Node, Value, listed, quoted},
    spans::{Place, Source},
};
use crate::{
    error::{Code, Error},
    permission::rule::Origin,
    suggest::nearest,
};

/// More than this is noise, and each of them carries a piece of the text.
pub(super) const MAX_WARNINGS: usize = 100;

/// What everything that reads a configuration shares: the text, the circumstances, the warnings.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) source: Source<'a>,
    pub(super) is_trusted: bool,
    /// The home directory, without a slash at its end.
    pub(super) home: Option<&'a str>,
    pub(super) warnings: Vec<Warning>,
}

impl Reader<'_> {
    pub(super) fn error(
        &self,
        code: Code,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Error {
        Error::new(code, message, help).at(self.source.span(place))
    }

    pub(super) fn warn(
        &mut self,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.warnings.len() >= MAX_WARNINGS {
            return;
        }
        self.warnings.push(Warning {
            span: self.source.span(place),
            message: message.into(),
            help: help.into(),
        });
    }

    pub(super) fn origin(&self, place: Place) -> Origin {
        self.source.origin(place)
    }

    /// "`roles` must be …, not `5`".
    pub(super) fn mismatch(&self, node: &Node, what: &str, wanted: &str) -> Error {
        let message = format!("{what} must be {wanted}, not {}", node.told());
        self.error(
            Code::ConfigInvalid,
            node.place,
            message,
            format!("write {wanted}"),
        )
    }

    pub(super) fn map<'n>(&self, node: &'n Node, what: &str) -> Result<&'n Map, Error> {
        let Value::Map(map) = &node.value else {
            return Err(self.mismatch(node, what, "an object"));
        };
        Ok(map)
    }

    /// An object with the keys of `keys` and no others, and with all that are required.
    pub(super) fn fields<'n>(
        &self,
        node: &'n Node,
        keys: &[Key],
        what: &str,
    ) -> Result<&'n Map, Error> {
        let map = self.map(node, what)?;
        for (name, entry) in map {
            if !keys.iter().any(|key| key.name == name) {
                return Err(self.unknown_key(name, entry.key, keys, what));
            }
        }
        for key in keys.iter().filter(|key| key.is_required) {
            if !map.contains_key(key.name) {
                let message = format!("{what} has no `{}`", key.name);
                let help = format!("add `{}`: {}", key.name, key.about);
                return Err(self.error(Code::ConfigInvalid, node.place, message, help));
            }
        }
        Ok(map)
    }

    pub(super) fn unknown_key(&self, name: &str, place: Place, keys: &[Key], what: &str) -> Error {
        let message = format!("{what} has no key {}", quoted(name));
        let help = match nearest(name, keys.iter().map(|key| key.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "the keys are {}",
                listed(keys.iter().map(|key| key.name), "and")
            ),
        };
        self.error(Code::ConfigUnknownKey, place, message, help)
    }

    /// A text for people.
    pub(super) fn text<'n>(&self, node: &'n Node, what: &str) -> Result<&'n str, Error> {
        let Value::Text(text) = &node.value else {
            return Err(self.mismatch(node, what, "a text in quotes"));
        };
        Ok(text)
    }

    pub(super) fn flag(&self, node: &Node, what: &str) -> Result<bool, Error> {
        let Value::Flag(flag) = node.value else {
            return Err(self.mismatch(node, what, "`true` or `false`"));
        };
        Ok(flag)
    }

    /// A text that names something: not empty, no control characters.
    pub(super) fn name<'n>(&self, node: &'n Node, what: &str) -> Result<&'n str, Error> {
        let text = self.text(node, what)?;
        self.legal_name(text, node.place, what)?;
        Ok(text)
    }

    /// One of `words`.
    pub(super) fn word<'n>(
        &self,
        node: &'n Node,
        words: &[&str],
        what: &str,
    ) -> Result<&'n str, Error> {
        let text = self.text(node, what)?;
        if words.contains(&text) {
            return Ok(text);
        }
        let all = listed(words.iter().copied(), "or");
        let message = format!("{what} must be {all}, not {}", quoted(text));
        let help = match nearest(text, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write {all}"),
        };
        Err(self.error(Code::ConfigInvalid, node.place, message, help))
    }

    /// A list of names.
    pub(super) fn names(&self, node: &Node, what: &str) -> Result<Vec<String>, Error> {
        let Value::List(list) = &node.value else {
            return Err(self.mismatch(node, what, "a list of texts"));
        };
        let names = list
            .iter()
            .map(|item| self.name(item, what).map(str::to_owned));
        names.collect()
    }

    /// One name, or a list of at least one.
    pub(super) fn name_or_names(&self, node: &Node, what: &str) -> Result<Vec<String>, Error> {
        match &node.value {
            Value::Text(_) => Ok(vec![self.name(node, what)?.to_owned()]),
            Value::List(list) if list.is_empty() => {
                let help = "name something, or leave the key out";
                Err(self.error(
                    Code::ConfigInvalid,
                    node.place,
                    format!("{what} is an empty list"),
                    help,
                ))
            }
            Value::List(_) => self.names(node, what),
            Value::Null | Value::Flag(_) | Value::Number(_) | Value::Map(_) => {
                Err(self.mismatch(node, what, "a text or a list of texts"))
            }
        }
    }

    /// Refuses names that are empty or that a terminal or log would not show as they are.
    pub(super) fn legal_name(&self, name: &str, place: Place, what: &str) -> Result<(), Error> {
        if name.is_empty() {
            let message = format!("{what} is an empty text");
            return Err(self.error(
                Code::ConfigInvalid,
                place,
                message,
                "write a name, or delete it",
            ));
        }
        if name.chars().any(char::is_control) {
            let message = format!("{what} {} has a control character", quoted(name));
            return Err(self.error(Code::ConfigInvalid, place, message, "delete the character"));
        }
        Ok(())
    }

    /// Refuses keys that JavaScript would move to the front of an object whose order counts.
    pub(super) fn legal_order(&self, map: &Map, what: &str, help: &str) -> Result<(), Error> {
        for (name, entry) in map {
            if is_integer_like(name) {
                let message = format!(
                    "the key {} of {what} is a number; JavaScript would move it before the others, and the order counts",
                    quoted(name)
                );
                return Err(self.error(Code::ConfigInvalid, entry.key, message, help));
            }
        }
        Ok(())
    }
}

/// What JavaScript may take for an array index.
fn is_integer_like(name: &str) -> bool {
    let is_canonical = name == "0" || !name.starts_with('0');
    !name.is_empty() && is_canonical && name.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: bool) {
        assert_eq!(is_integer_like(name), expected, "{name:?}");
    }

    #[test]
    fn keys_that_javascript_reorders_are_integer_like() {
        check("0", true);
        check("42", true);
        check("4294967294", true);
    }

    #[test]
    fn other_keys_are_not() {
        check("", false);
        check("007", false);
        check("-1", false);
        check("1.5", false);
        check("4a", false);
        check("٤", false);
    }
}

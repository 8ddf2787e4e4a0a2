//! What the validator sees of a JavaScript value.
//!
//! Apart from `json.rs`, which reads, because this is safe code that only answers. A node is a
//! place in what was read; once the budget is used up every node is null and has no children, so
//! that the validator comes to its end at once.

use std::{borrow::Cow, fmt, ops::Range, rc::Rc};

use jsonschema::{
    JsonType,
    json::{Array, Json, JsonNumber, Node, NodeIdentity, Object, cmp, unique},
};
use serde_json::{Number, Value};

use crate::json::{Kind, Members, Scope};

/// The representation: values of a JavaScript engine.
#[derive(Debug)]
pub(crate) struct NapiJson;

impl Json for NapiJson {
    type Node<'a> = NapiNode<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    // Members are read together on the first look, so that a pass costs little more than a lookup.
    const KEYS_PER_LOOKUP: usize = 2;
    // Entries are numbered as they are reached: an object inside itself is another entry.
    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(NapiNode<'_>) -> T) -> T {
        f(NapiNode::Name(string))
    }
}

/// One value of an input, or the name of a property on its own.
#[derive(Clone, Copy)]
pub(crate) enum NapiNode<'a> {
    Value(&'a Scope<'a>, usize),
    Name(&'a str),
}

impl fmt::Debug for NapiNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(_, at) => f.debug_tuple("Value").field(at).finish_non_exhaustive(),
            Self::Name(name) => f.debug_tuple("Name").field(name).finish(),
        }
    }
}

impl<'a> NapiNode<'a> {
    /// The whole input.
    pub(crate) fn root(scope: &'a Scope<'a>) -> Self {
        Self::Value(scope, 0)
    }

    fn kind(self) -> Kind {
        match self {
            Self::Value(scope, at) => scope.kind(at),
            Self::Name(_) => Kind::String,
        }
    }

    /// A copy, to compare with others. Null once the budget is used up.
    fn copy(self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::Boolean(boolean) => Value::Bool(boolean),
            Kind::Number(number) => Value::Number(Double(number).number()),
            Kind::String => Value::String(self.as_string().unwrap_or_default().into_owned()),
            Kind::Array => {
                let array = self.as_array().into_iter();
                Value::Array(
                    array
                        .flat_map(|array| array.elements())
                        .map(Self::copy)
                        .collect(),
                )
            }
            Kind::Object => {
                let object = self.as_object().into_iter();
                let members = object.flat_map(|object| object.members());
                Value::Object(
                    members
                        .map(|(name, node)| (name.as_ref().to_owned(), node.copy()))
                        .collect(),
                )
            }
        }
    }
}

impl<'a> Node<'a, NapiJson> for NapiNode<'a> {
    type Object = NapiObject<'a>;
    type Array = NapiArray<'a>;
    type Number = Double;

    fn as_object(&self) -> Option<NapiObject<'a>> {
        match (self.kind(), *self) {
            (Kind::Object, Self::Value(scope, at)) => Some(NapiObject { scope, at }),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<NapiArray<'a>> {
        match (self.kind(), *self) {
            (Kind::Array, Self::Value(scope, at)) => Some(NapiArray { scope, at }),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match (self.kind(), *self) {
            (Kind::String, Self::Value(scope, at)) => scope.text(at).map(Cow::Owned),
            (Kind::String, Self::Name(name)) => Some(Cow::Borrowed(name)),
            _ => None,
        }
    }

    fn as_number(&self) -> Option<Double> {
        let Kind::Number(number) = self.kind() else {
            return None;
        };
        Some(Double(number))
    }

    fn as_boolean(&self) -> Option<bool> {
        let Kind::Boolean(boolean) = self.kind() else {
            return None;
        };
        Some(boolean)
    }

    fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    fn json_type(&self) -> JsonType {
        match self.kind() {
            Kind::Null => JsonType::Null,
            Kind::Boolean(_) => JsonType::Boolean,
            Kind::Number(_) => JsonType::Number,
            Kind::String => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    fn string_length_within(&self, min: u64, max: u64) -> Option<bool> {
        if let (Kind::String, Self::Value(scope, at)) = (self.kind(), *self) {
            // A character takes one or two units.
            let units = scope.utf16_len(at) as u64;
            let fewest = units.div_ceil(2);
            if units < min || fewest > max {
                return Some(false);
            }
            if min <= fewest && units <= max {
                return Some(true);
            }
        }
        self.string_length()
            .map(|length| (min..=max).contains(&length))
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match (self.kind(), expected) {
            (Kind::Null, Value::Null) => true,
            (Kind::Boolean(boolean), Value::Bool(expected)) => boolean == *expected,
            (Kind::Number(number), Value::Number(expected)) => {
                cmp::equal_numbers(&Double(number), expected)
            }
            (Kind::String, Value::String(expected)) => {
                if let Self::Value(scope, at) = *self {
                    // A unit takes one to three bytes; most options are told apart by length.
                    let units = scope.utf16_len(at);
                    if expected.len() < units || units.saturating_mul(3) < expected.len() {
                        return false;
                    }
                }
                self.as_string()
                    .is_some_and(|text| text == expected.as_str())
            }
            (Kind::Array | Kind::Object, Value::Array(_) | Value::Object(_)) => {
                cmp::equal(&self.copy(), expected)
            }
            _ => false,
        }
    }

    // The validator puts this into every error and nothing reads it there: faults are worded from
    // the path. Only the root has to have a shape, because an error about an expression that could
    // not be matched looks its place up in it.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match (self.kind(), *self) {
            (Kind::Number(number), _) => Value::Number(Double(number).number()),
            (Kind::Array | Kind::Object, Self::Value(scope, 0))
                if scope.budget().may_copy(scope.len()) =>
            {
                scope.skeleton(0)
            }
            _ => Value::Null,
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(match *self {
            Self::Value(_, at) => NodeIdentity::new(at),
            Self::Name(name) => NodeIdentity::tagged(name.as_ptr() as usize, 1),
        })
    }
}

/// An object; without members once the budget is used up. They are read when first asked for:
/// `type: object` alone does not ask.
pub(crate) struct NapiObject<'a> {
    scope: &'a Scope<'a>,
    at: usize,
}

impl<'a> Object<'a, NapiJson> for NapiObject<'a> {
    type Node = NapiNode<'a>;
    type MemberName = MemberName;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        self.scope
            .members(self.at)
            .map_or(0, |members| members.len())
    }

    fn get(&self, key: &String) -> Option<NapiNode<'a>> {
        let members = self.scope.members(self.at)?;
        if !self.scope.budget().may_look() {
            return None;
        }
        let place = members.find(key)?;
        Some(NapiNode::Value(self.scope, members.entry(place)))
    }

    fn members(&self) -> MembersIter<'a> {
        MembersIter {
            scope: self.scope,
            members: self.scope.members(self.at),
            next: 0,
        }
    }
}

/// The name of a member, kept alive by its object.
pub(crate) struct MemberName(Rc<Members>, usize);

impl AsRef<str> for MemberName {
    fn as_ref(&self) -> &str {
        self.0.name(self.1)
    }
}

impl From<MemberName> for Cow<'_, str> {
    fn from(name: MemberName) -> Self {
        Cow::Owned(name.as_ref().to_owned())
    }
}

/// The members of an object in their order.
pub(crate) struct MembersIter<'a> {
    scope: &'a Scope<'a>,
    members: Option<Rc<Members>>,
    next: usize,
}

impl<'a> Iterator for MembersIter<'a> {
    type Item = (MemberName, NapiNode<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let members = self.members.as_ref()?;
        let place = self.next;
        if place >= members.len() || !self.scope.budget().may_look() {
            return None;
        }
        self.next += 1;
        let node = NapiNode::Value(self.scope, members.entry(place));
        Some((MemberName(Rc::clone(members), place), node))
    }
}

/// An array; without items once the budget is used up.
pub(crate) struct NapiArray<'a> {
    scope: &'a Scope<'a>,
    at: usize,
}

impl<'a> Array<'a, NapiJson> for NapiArray<'a> {
    type Node = NapiNode<'a>;
    type ElementsIter = ElementsIter<'a>;

    fn len(&self) -> usize {
        self.scope.array_len(self.at)
    }

    fn elements(&self) -> ElementsIter<'a> {
        ElementsIter {
            scope: self.scope,
            range: self.scope.items(self.at),
        }
    }

    fn is_unique(&self) -> bool {
        let items: Vec<Value> = self.elements().map(NapiNode::copy).collect();
        unique::is_unique(&items)
    }
}

/// The items of an array in their order.
pub(crate) struct ElementsIter<'a> {
    scope: &'a Scope<'a>,
    range: Range<usize>,
}

impl<'a> Iterator for ElementsIter<'a> {
    type Item = NapiNode<'a>;

    fn next(&mut self) -> Option<NapiNode<'a>> {
        if !self.scope.budget().may_look() {
            return None;
        }
        self.range.next().map(|at| NapiNode::Value(self.scope, at))
    }
}

/// A JavaScript number that is finite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Double(f64);

/// 2^63 and 2^64, the first doubles that `i64` and `u64` do not hold.
const I64_END: f64 = 9_223_372_036_854_775_808.0;
const U64_END: f64 = 18_446_744_073_709_551_616.0;

impl Double {
    fn number(self) -> Number {
        let whole = self
            .as_u64()
            .map(Number::from)
            .or_else(|| self.as_i64().map(Number::from));
        whole
            .or_else(|| Number::from_f64(self.0))
            .unwrap_or_else(|| Number::from(0))
    }

    fn is_whole_within(self, start: f64, end: f64) -> bool {
        self.is_integer() && self.0 >= start && self.0 < end
    }
}

impl JsonNumber for Double {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and in range"
    )]
    fn as_u64(&self) -> Option<u64> {
        self.is_whole_within(0.0, U64_END).then_some(self.0 as u64)
    }

    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    fn as_i64(&self) -> Option<i64> {
        self.is_whole_within(-I64_END, I64_END)
            .then_some(self.0 as i64)
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.0)
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.number().to_string())
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(self.number())
    }

    fn is_integer(&self) -> bool {
        self.0.fract() == 0.0
    }

    fn is_written_as_integer(&self) -> bool {
        self.is_integer()
    }
}

//! JavaScript values where they are: what a validation has read of one input.
//!
//! Copying an input into Rust costs more than validating it, so nodes stay handles. This file
//! holds the only unsafe code of the crate, and the rules by which a JavaScript value is JSON:
//!
//! 1. Members are the own, enumerable properties with string names. `{}` has no `toString`, and a
//!    `__proto__` that `JSON.parse` made is a member like any other.
//! 2. `undefined`, functions and symbols are absent as members and null as items, as
//!    `JSON.stringify` has it. An input that is `undefined` as a whole is null.
//! 3. Big integers, `NaN`, infinities, typed arrays and properties that throw when read fit no
//!    schema: the validation stops with [`Stop::NotJson`] and the place is kept.
//! 4. Every property is read once a validation, however often the schema looks at it, so that a
//!    getter cannot give two answers, and a value keeps one identity, which is what the
//!    validator's guard against repeated work goes by.
//!
//! INVARIANT: no borrow of [`Scope::entries`] is held across a call into the engine, which may run
//! getters and proxies, and these may validate something else.
#![expect(
    unsafe_code,
    reason = "napi's own wrappers cost more than the validation, and see inherited properties"
)]

use std::{cell::RefCell, marker::PhantomData, ops::Range, ptr, rc::Rc};

use napi::{JsValue as _, Unknown, sys};
use toolgate::call::budget::{Budget, Stop};

/// What a value is, as far as JSON goes, with what is cheap to know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Null,
    Boolean(bool),
    Number(f64),
    String,
    Array,
    Object,
}

/// One value that a validation has reached.
struct Entry {
    value: sys::napi_value,
    kind: Kind,
    /// How many containers it stands in.
    depth: usize,
    parent: usize,
    children: Children,
}

#[derive(Clone)]
enum Children {
    Unread,
    Items(Range<usize>),
    Members(Rc<Members>),
}

/// The members of one object: their names, and their values as a run of entries.
#[derive(Debug)]
pub(crate) struct Members {
    text: String,
    spans: Vec<Range<usize>>,
    first: usize,
    /// Places by name, for objects that are large enough to search in.
    sorted: Vec<usize>,
}

/// From here on names are searched for and not tried one by one.
const SEARCHED_MEMBERS: usize = 16;

impl Members {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The name of the member at `place`.
    pub(crate) fn name(&self, place: usize) -> &str {
        let span = self.spans.get(place).cloned().unwrap_or_default();
        self.text.get(span).unwrap_or_default()
    }

    /// The entry of the member at `place`.
    pub(crate) fn entry(&self, place: usize) -> usize {
        self.first + place
    }

    /// Where `name` stands.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        if self.sorted.is_empty() {
            let text = self.text.as_bytes();
            let is_here = |span: &Range<usize>| text.get(span.clone()) == Some(name.as_bytes());
            return self.spans.iter().position(is_here);
        }
        let at = self
            .sorted
            .binary_search_by(|place| self.name(*place).cmp(name))
            .ok()?;
        self.sorted.get(at).copied()
    }
}

/// Something that is no JSON, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Foreign {
    pub(crate) pointer: String,
    pub(crate) what: &'static str,
}

/// What one validation has read of one input.
pub(crate) struct Scope<'call> {
    call: PhantomData<&'call ()>,
    env: sys::napi_env,
    budget: Budget,
    entries: RefCell<Vec<Entry>>,
    foreign: RefCell<Option<Foreign>>,
}

impl<'call> Scope<'call> {
    /// Opens `input` for one validation.
    ///
    /// The engine opens a scope of handles for every native call and closes it after, which is
    /// what `'call` stands for; a second one inside it would cost as much as an empty call.
    pub(crate) fn open(input: &Unknown<'call>, budget: Budget) -> Self {
        let handle = input.value();
        let (env, value) = (handle.env, handle.value);
        let scope = Self {
            call: PhantomData,
            env,
            budget,
            entries: RefCell::new(Vec::with_capacity(16)),
            foreign: RefCell::new(None),
        };
        let kind = match scope.classify(value) {
            Ok(kind) => kind.unwrap_or(Kind::Null),
            Err(what) => {
                scope.refuse(String::new(), what);
                Kind::Null
            }
        };
        scope.push(value, kind, 0, 0);
        scope
    }

    /// The budget that this input is read by.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What is no JSON in this input, if it was met.
    pub(crate) fn foreign(&self) -> Option<Foreign> {
        self.foreign.borrow().clone()
    }

    /// What entry `at` is; null once the validation has stopped.
    pub(crate) fn kind(&self, at: usize) -> Kind {
        if !self.budget.may_look() {
            return Kind::Null;
        }
        self.entries
            .borrow()
            .get(at)
            .map_or(Kind::Null, |entry| entry.kind)
    }

    /// How many items the array at `at` has.
    pub(crate) fn array_len(&self, at: usize) -> usize {
        let Some((value, _)) = self.place(at) else {
            return 0;
        };
        let mut len = 0_u32;
        // SAFETY: `value` is a live handle of `env`.
        let status = unsafe { sys::napi_get_array_length(self.env, value, &raw mut len) };
        if status == sys::Status::napi_ok {
            len as usize
        } else {
            0
        }
    }

    /// The entries of the items of the array at `at`; none once the validation has stopped.
    pub(crate) fn items(&self, at: usize) -> Range<usize> {
        if let Some(Children::Items(range)) = self.children(at) {
            return range;
        }
        let len = self.array_len(at);
        let Some((array, depth)) = self.place(at) else {
            return 0..0;
        };
        if !self.budget.may_reach(len, depth + 1) {
            return 0..0;
        }
        let start = self.len();
        for place in 0..u32::try_from(len).unwrap_or(u32::MAX) {
            let mut item = ptr::null_mut();
            // SAFETY: `array` is a live handle of `env`; `item` is only used if this succeeds.
            let status = unsafe { sys::napi_get_element(self.env, array, place, &raw mut item) };
            let read = self.succeed(status).and_then(|()| self.classify(item));
            match read {
                Ok(kind) => self.push(item, kind.unwrap_or(Kind::Null), depth + 1, at),
                Err(what) => {
                    self.refuse(format!("{}/{place}", self.pointer(at)), what);
                    return 0..0;
                }
            }
        }
        let range = start..self.len();
        self.set_children(at, Children::Items(range.clone()));
        range
    }

    /// The members of the object at `at`; `None` once the validation has stopped.
    pub(crate) fn members(&self, at: usize) -> Option<Rc<Members>> {
        if let Some(Children::Members(members)) = self.children(at) {
            return Some(members);
        }
        let (object, depth) = self.place(at)?;
        let refuse = |what| self.refuse(self.pointer(at), what);
        let names = self.names(object).map_err(refuse).ok()?;
        let mut len = 0_u32;
        // SAFETY: `names` is a live handle of `env`, just made.
        let status = unsafe { sys::napi_get_array_length(self.env, names, &raw mut len) };
        self.succeed(status).map_err(refuse).ok()?;
        if !self.budget.may_reach(len as usize, depth + 1) {
            return None;
        }
        let mut members = Members {
            text: String::with_capacity(len as usize * 12),
            spans: Vec::with_capacity(len as usize),
            first: self.len(),
            sorted: Vec::new(),
        };
        for place in 0..len {
            let mut name = ptr::null_mut();
            // SAFETY: `names` is a live handle of `env`; `name` is only used if this succeeds.
            let status = unsafe { sys::napi_get_element(self.env, names, place, &raw mut name) };
            self.succeed(status).map_err(refuse).ok()?;
            let start = members.text.len();
            let may_read = |bytes| self.budget.may_read_name(bytes);
            if !self.read_text(name, &mut members.text, may_read) {
                return None;
            }
            let mut value = ptr::null_mut();
            // SAFETY: `object` and `name` are live handles; `value` is only used on success.
            let status = unsafe { sys::napi_get_property(self.env, object, name, &raw mut value) };
            match self.succeed(status).and_then(|()| self.classify(value)) {
                Ok(Some(kind)) => {
                    members.spans.push(start..members.text.len());
                    self.push(value, kind, depth + 1, at);
                }
                Ok(None) => members.text.truncate(start),
                Err(what) => {
                    let name = members.text.get(start..).unwrap_or_default();
                    let name = name.replace('~', "~0").replace('/', "~1");
                    self.refuse(format!("{}/{name}", self.pointer(at)), what);
                    return None;
                }
            }
        }
        if members.len() > SEARCHED_MEMBERS {
            let mut sorted: Vec<usize> = (0..members.len()).collect();
            // Stable: of two names that read alike (lone surrogates), the first one is found.
            sorted.sort_by(|left, right| members.name(*left).cmp(members.name(*right)));
            sorted.dedup_by(|right, left| members.name(*left) == members.name(*right));
            members.sorted = sorted;
        }
        let members = Rc::new(members);
        self.set_children(at, Children::Members(Rc::clone(&members)));
        Some(members)
    }

    /// The text of the string at `at`; `None` once the validation has stopped. Lone surrogates
    /// become U+FFFD.
    pub(crate) fn text(&self, at: usize) -> Option<String> {
        let (value, _) = self.place(at)?;
        let mut text = String::new();
        let may_read = |bytes| self.budget.may_read_text(bytes);
        self.read_text(value, &mut text, may_read).then_some(text)
    }

    /// How many UTF-16 units the string at `at` has. Free of its length.
    pub(crate) fn utf16_len(&self, at: usize) -> usize {
        self.place(at)
            .map_or(0, |(value, _)| self.utf16_len_of(value))
    }

    /// What has been read so far below `at`, with empty strings.
    pub(crate) fn skeleton(&self, at: usize) -> serde_json::Value {
        use serde_json::Value;
        match self.children(at) {
            Some(Children::Items(range)) => {
                Value::Array(range.map(|item| self.skeleton(item)).collect())
            }
            Some(Children::Members(members)) => Value::Object(
                (0..members.len())
                    .map(|place| {
                        (
                            members.name(place).to_owned(),
                            self.skeleton(members.entry(place)),
                        )
                    })
                    .collect(),
            ),
            Some(Children::Unread) | None => Value::Null,
        }
    }

    /// How many values have been read so far.
    pub(crate) fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    fn utf16_len_of(&self, value: sys::napi_value) -> usize {
        let mut len = 0;
        // SAFETY: `value` is a live handle; without a buffer only the length is written.
        unsafe {
            sys::napi_get_value_string_utf16(self.env, value, ptr::null_mut(), 0, &raw mut len);
        }
        len
    }

    /// Appends the text of `value`, if `may_read` its length in bytes.
    fn read_text(
        &self,
        value: sys::napi_value,
        text: &mut String,
        may_read: impl FnOnce(usize) -> bool,
    ) -> bool {
        const SMALL: usize = 128;
        let mut small = [0_u8; SMALL];
        let mut len = 0;
        // SAFETY: `value` is a live handle; at most `SMALL` bytes are written, NUL included.
        unsafe {
            sys::napi_get_value_string_utf8(
                self.env,
                value,
                small.as_mut_ptr().cast(),
                SMALL,
                &raw mut len,
            );
        }
        // A buffer that has no room for one more character may have cut the text.
        if len + 4 < SMALL {
            text.push_str(&String::from_utf8_lossy(
                small.get(..len).unwrap_or_default(),
            ));
            return may_read(len);
        }
        if !may_read(self.utf16_len_of(value)) {
            return false;
        }
        // SAFETY: `value` is a live handle; without a buffer only the length is written.
        unsafe {
            sys::napi_get_value_string_utf8(self.env, value, ptr::null_mut(), 0, &raw mut len);
        }
        let mut bytes = vec![0_u8; len + 1];
        // SAFETY: at most `bytes.len()` bytes are written, NUL included.
        unsafe {
            sys::napi_get_value_string_utf8(
                self.env,
                value,
                bytes.as_mut_ptr().cast(),
                bytes.len(),
                &raw mut len,
            );
        }
        bytes.truncate(len);
        match String::from_utf8(bytes) {
            Ok(read) if text.is_empty() => *text = read,
            Ok(read) => text.push_str(&read),
            Err(error) => text.push_str(&String::from_utf8_lossy(error.as_bytes())),
        }
        true
    }

    /// The names of the own, enumerable properties of `object`.
    fn names(&self, object: sys::napi_value) -> Result<sys::napi_value, &'static str> {
        let mut names = ptr::null_mut();
        // SAFETY: `object` is a live handle; `names` is only used if this succeeds.
        let status = unsafe {
            sys::napi_get_all_property_names(
                self.env,
                object,
                sys::KeyCollectionMode::own_only,
                sys::KeyFilter::enumerable | sys::KeyFilter::skip_symbols,
                sys::KeyConversion::numbers_to_strings,
                &raw mut names,
            )
        };
        self.succeed(status).map(|()| names)
    }

    /// What `value` is; `None` where JSON has nothing, an error where it has no word for it.
    fn classify(&self, value: sys::napi_value) -> Result<Option<Kind>, &'static str> {
        let mut kind = 0;
        // SAFETY: `value` is a live handle of `env`.
        let status = unsafe { sys::napi_typeof(self.env, value, &raw mut kind) };
        self.succeed(status)?;
        Ok(Some(match kind {
            sys::ValueType::napi_undefined
            | sys::ValueType::napi_function
            | sys::ValueType::napi_symbol => return Ok(None),
            sys::ValueType::napi_null => Kind::Null,
            sys::ValueType::napi_string => Kind::String,
            sys::ValueType::napi_boolean => {
                let mut boolean = false;
                // SAFETY: `value` is a live handle of a boolean.
                unsafe { sys::napi_get_value_bool(self.env, value, &raw mut boolean) };
                Kind::Boolean(boolean)
            }
            sys::ValueType::napi_number => {
                let mut number = f64::NAN;
                // SAFETY: `value` is a live handle of a number.
                unsafe { sys::napi_get_value_double(self.env, value, &raw mut number) };
                if !number.is_finite() {
                    return Err("a number that is not finite");
                }
                Kind::Number(number)
            }
            sys::ValueType::napi_object if self.is(value, sys::napi_is_array) => Kind::Array,
            sys::ValueType::napi_object => {
                if self.is(value, sys::napi_is_typedarray) {
                    return Err("binary data");
                }
                Kind::Object
            }
            sys::ValueType::napi_bigint => return Err("a bigint"),
            _ => return Err("a value that is not JSON"),
        }))
    }

    fn is(
        &self,
        value: sys::napi_value,
        question: unsafe fn(sys::napi_env, sys::napi_value, *mut bool) -> sys::napi_status,
    ) -> bool {
        let mut answer = false;
        // SAFETY: `value` is a live handle; both questions write one boolean and nothing else.
        unsafe { question(self.env, value, &raw mut answer) };
        answer
    }

    /// Takes a pending exception away: what the model sent is refused, not thrown.
    fn succeed(&self, status: sys::napi_status) -> Result<(), &'static str> {
        if status == sys::Status::napi_ok {
            return Ok(());
        }
        let mut exception = ptr::null_mut();
        // SAFETY: allowed while an exception is pending, and harmless while none is.
        unsafe { sys::napi_get_and_clear_last_exception(self.env, &raw mut exception) };
        Err("a property that throws when read")
    }

    fn refuse(&self, pointer: String, what: &'static str) {
        self.foreign
            .borrow_mut()
            .get_or_insert(Foreign { pointer, what });
        self.budget.stop_for(Stop::NotJson);
    }

    fn place(&self, at: usize) -> Option<(sys::napi_value, usize)> {
        self.entries
            .borrow()
            .get(at)
            .map(|entry| (entry.value, entry.depth))
    }

    fn children(&self, at: usize) -> Option<Children> {
        self.entries
            .borrow()
            .get(at)
            .map(|entry| entry.children.clone())
    }

    fn set_children(&self, at: usize, children: Children) {
        if let Some(entry) = self.entries.borrow_mut().get_mut(at) {
            entry.children = children;
        }
    }

    fn push(&self, value: sys::napi_value, kind: Kind, depth: usize, parent: usize) {
        let children = Children::Unread;
        self.entries.borrow_mut().push(Entry {
            value,
            kind,
            depth,
            parent,
            children,
        });
    }

    /// The JSON pointer of the entry at `at`.
    fn pointer(&self, at: usize) -> String {
        let mut names = Vec::new();
        let mut at = at;
        while at > 0 {
            let Some(parent) = self.entries.borrow().get(at).map(|entry| entry.parent) else {
                break;
            };
            match self.children(parent) {
                Some(Children::Items(range)) => names.push((at - range.start).to_string()),
                Some(Children::Members(members)) => {
                    let name = members.name(at - members.first);
                    names.push(name.replace('~', "~0").replace('/', "~1"));
                }
                Some(Children::Unread) | None => break,
            }
            at = parent;
        }
        names
            .iter()
            .rev()
            .fold(String::new(), |path, name| path + "/" + name)
    }
}

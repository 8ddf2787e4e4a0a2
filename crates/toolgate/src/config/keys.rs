//! Every key of the configuration, once.
//!
//! The parser takes its known keys from here and the published JSON Schema is written from here,
//! so an editor and the gate cannot know different keys. The `about` lines are what an editor
//! shows on hover and what a message says of a missing key.

/// One key of an object.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) is_required: bool,
    pub(super) shape: Shape,
}

/// What may stand as a value. The shapes of rules are too rich for a table; they are definitions
/// that `published` spells out and `permission` and `when` read.
#[derive(Debug)]
pub(super) enum Shape {
    /// A text for people.
    Text,
    /// A text that names something or globs over names.
    Name,
    Flag,
    /// A JSON pointer that is not the whole document.
    Pointer,
    /// One of these words.
    Words(&'static [&'static str]),
    Names,
    NameOrNames,
    Fields(&'static [Key]),
    List(&'static Shape),
    /// Own names to values of one shape.
    Map(&'static Shape),
    Definition(&'static str),
}

const fn optional(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key {
        name,
        about,
        is_required: false,
        shape,
    }
}

const fn required(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key {
        name,
        about,
        is_required: true,
        shape,
    }
}

/// The words of `effect`, mildest first.
pub(super) const EFFECTS: &[&str] = &["read", "internal-write", "external-write", "destructive"];

/// The words of a visibility entry's `action`.
pub(super) const VISIBILITIES: &[&str] = &["offer", "drop"];

/// Keys of the whole configuration.
pub(super) const TOP: &[Key] = &[
    optional(
        "$schema",
        Shape::Text,
        "Where an editor finds the schema; not read.",
    ),
    optional(
        "permission",
        Shape::Definition("permission"),
        "Which calls run, ask or are refused. The last rule that matches wins.",
    ),
    optional(
        "locked",
        Shape::Definition("locked"),
        "Denies that no other rule, role or session can lift.",
    ),
    optional(
        "roles",
        Shape::Map(&Shape::Fields(ROLE)),
        "Rules that a role adds after the general ones.",
    ),
    optional(
        "visibility",
        Shape::List(&Shape::Fields(VISIBILITY)),
        "Which models are offered which tools. The last entry that matches wins; without one a tool is offered.",
    ),
    optional(
        "toolsets",
        Shape::Map(&Shape::Names),
        "Names for lists of category globs, for `tenants`.",
    ),
    optional(
        "tenants",
        Shape::Map(&Shape::Fields(TENANT)),
        "What each tenant has; `*` speaks for tenants that are not named.",
    ),
    optional(
        "declare",
        Shape::Map(&Shape::Fields(DECLARATION)),
        "What tools do not say of themselves, by name or glob. The last entry that matches wins, field by field.",
    ),
];

/// Keys that the format will have; a newer file says so instead of "unknown".
pub(super) const LATER: &[&str] = &["limits", "catalogue", "grants", "tests"];

/// Keys of a role.
pub(super) const ROLE: &[Key] = &[
    optional("description", Shape::Text, "What the role is for."),
    optional(
        "permission",
        Shape::Definition("permission"),
        "Rules of this role.",
    ),
];

/// Keys of an entry of `visibility`.
pub(super) const VISIBILITY: &[Key] = &[
    required("tools", Shape::NameOrNames, "Tool names or globs."),
    optional(
        "models",
        Shape::NameOrNames,
        "Globs over `provider/model`; without it the entry speaks for every model.",
    ),
    optional("flags", Shape::Names, "Flags that the turn must all have."),
    required("action", Shape::Words(VISIBILITIES), "`offer` or `drop`."),
];

/// Keys of a tenant.
pub(super) const TENANT: &[Key] = &[
    optional("toolsets", Shape::Names, "Toolsets that are enabled."),
    optional(
        "categories",
        Shape::Names,
        "Category globs that are enabled beside the toolsets. Without both keys every category is.",
    ),
    optional(
        "locked",
        Shape::Definition("locked"),
        "Denies that nothing can lift for this tenant.",
    ),
    optional(
        "permission",
        Shape::Definition("permission"),
        "Rules for this tenant.",
    ),
];

/// Keys of a declaration.
pub(super) const DECLARATION: &[Key] = &[
    optional(
        "effect",
        Shape::Words(EFFECTS),
        "What a call may do to the world.",
    ),
    optional("category", Shape::Name, "What toolsets enable the tool by."),
    optional(
        "permission",
        Shape::Fields(RESOURCE),
        "Which rules speak of a call.",
    ),
    optional(
        "streaming",
        Shape::Flag,
        "Whether the tool yields parts before its result.",
    ),
];

/// Keys of a declaration's `permission`.
pub(super) const RESOURCE: &[Key] = &[
    optional(
        "name",
        Shape::Name,
        "The permission name, if not the tool's own.",
    ),
    optional(
        "pattern",
        Shape::Pointer,
        "A JSON pointer into the input: what rules match as the resource.",
    ),
];

/// Keys of a rule in a list.
pub(super) const RULE: &[Key] = &[
    optional(
        "pattern",
        Shape::Name,
        "A glob over resources; `*` if it is left out.",
    ),
    optional(
        "when",
        Shape::Definition("when"),
        "Conditions that must all hold.",
    ),
    required(
        "action",
        Shape::Definition("action"),
        "`allow`, `ask` or `deny`.",
    ),
];

/// Keys of a rule in a list of `locked`.
pub(super) const LOCKED_RULE: &[Key] = &[
    optional(
        "pattern",
        Shape::Name,
        "A glob over resources; `*` if it is left out.",
    ),
    optional(
        "when",
        Shape::Definition("when"),
        "Conditions that must all hold.",
    ),
    required(
        "action",
        Shape::Definition("deny"),
        "`deny`; locked rules can only deny.",
    ),
];

//! The names under which the ledger keeps things.
//!
//! They stand apart because two different calls must never share one. Every name is the SHA-256 of
//! a JSON array that begins with its kind and version: JSON quotes and escapes its strings, so
//! `["a","bc"]` and `["ab","c"]` stay two texts, and an absent tenant (`null`) is not the empty one.
//!
//! A name is `<tag>.<hash>`. All names of one tenant share the tag, so that a store that spreads
//! its keys over machines can keep a tenant on one of them and commit in one step.

use serde::{Deserialize, Serialize};

use crate::call::canonical::sha256_hex;

/// How much of the tenant's hash its names begin with.
const TAG_CHARS: usize = 16;

/// One call as the model made it. The input is not part of it: it is compared, never looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct CallParts<'a>(
    /// The tenant, if there is one.
    #[serde(borrow)]
    pub Option<&'a str>,
    /// The session.
    pub &'a str,
    /// The turn.
    pub &'a str,
    /// The tool.
    pub &'a str,
    /// The id that the model gave the call. Some providers use `call_0` again in the next turn.
    pub &'a str,
);

/// One intention: the same tool with the same input in one session, whatever the call's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntentParts<'a>(
    /// The tenant, if there is one.
    pub Option<&'a str>,
    /// The session.
    pub &'a str,
    /// The tool.
    pub &'a str,
    /// The canonical hash of the input.
    pub &'a str,
);

/// The name of one call.
pub fn call_key(parts: &CallParts<'_>) -> String {
    let CallParts(tenant, session, turn, tool, call_id) = *parts;
    name(
        tenant,
        &("toolgate/call/1", tenant, session, turn, tool, call_id),
    )
}

/// The name of one intention.
pub fn intent_key(parts: &IntentParts<'_>) -> String {
    let IntentParts(tenant, session, tool, input_hash) = *parts;
    name(
        tenant,
        &("toolgate/intent/1", tenant, session, tool, input_hash),
    )
}

/// The name of one session of one tenant.
pub fn session_key(tenant: Option<&str>, session: &str) -> String {
    name(tenant, &("toolgate/session/1", tenant, session))
}

/// What the names of a tenant begin with.
pub fn tenant_tag(tenant: Option<&str>) -> String {
    let mut tag = hash(&("toolgate/tenant/1", tenant));
    tag.truncate(TAG_CHARS);
    tag
}

/// [`call_key`] of a JSON array `[tenant, session, turn, tool, callId]`; `None` if it is not one of
/// well-formed strings.
pub fn call_key_json(parts: &str) -> Option<String> {
    let (tenant, session, turn, tool, call_id): Parts5 = serde_json::from_str(parts).ok()?;
    Some(call_key(&CallParts(
        tenant.as_deref(),
        &session,
        &turn,
        &tool,
        &call_id,
    )))
}

/// [`intent_key`] of a JSON array `[tenant, session, tool, inputHash]`; `None` if it is not one of
/// well-formed strings.
pub fn intent_key_json(parts: &str) -> Option<String> {
    let (tenant, session, tool, input_hash): Parts4 = serde_json::from_str(parts).ok()?;
    Some(intent_key(&IntentParts(
        tenant.as_deref(),
        &session,
        &tool,
        &input_hash,
    )))
}

type Parts5 = (Option<String>, String, String, String, String);
type Parts4 = (Option<String>, String, String, String);

fn name(tenant: Option<&str>, parts: &impl Serialize) -> String {
    format!("{}.{}", tenant_tag(tenant), hash(parts))
}

/// INVARIANT: `parts` is a tuple of strings and absent strings, which always serializes.
fn hash(parts: &impl Serialize) -> String {
    sha256_hex(&serde_json::to_string(parts).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every row is another call, so every row has another name.
    #[test]
    fn different_calls_have_different_names() {
        let rows = [
            r#"[null,"a","bc","t","c"]"#,
            r#"[null,"ab","c","t","c"]"#,
            r#"["","a","bc","t","c"]"#,
            r#"["null","a","bc","t","c"]"#,
            r#"["a","","bc","t","c"]"#,
            r#"["a","bc","","t","c"]"#,
            r#"["a","b","c","t","c"]"#,
            r#"["a\",\"b","c","","t","c"]"#,
            r#"["a","b\",\"c","","t","c"]"#,
            r#"["a","b","c","t","call_0"]"#,
            r#"["a","b","c2","t","call_0"]"#,
            r#"["a","b","c","T","call_0"]"#,
            r#"["a\u0000","b","c","t","call_0"]"#,
            r#"["a","\u0000b","c","t","call_0"]"#,
            r#"["a\n","b","c","t","call_0"]"#,
            r#"["e\u0301","b","c","t","call_0"]"#,
            r#"["\u00e9","b","c","t","call_0"]"#,
        ];
        let well_formed = rows.iter().filter_map(|row| call_key_json(row)).count();
        let names: BTreeSet<_> = rows.iter().filter_map(|row| call_key_json(row)).collect();
        assert_eq!(well_formed, rows.len());
        assert_eq!(names.len(), rows.len());
    }

    #[test]
    fn a_call_an_intent_and_a_session_never_share_a_name() {
        let names = BTreeSet::from([
            call_key(&CallParts(None, "s", "u", "t", "c")),
            intent_key(&IntentParts(None, "s", "u", "t")),
            session_key(None, "s"),
        ]);
        assert_eq!(names.len(), 3);
    }

    #[test]
    fn the_same_call_has_the_same_name_forever() {
        assert_eq!(
            call_key_json(r#"["acme","s1","u1","refund","call_0"]"#),
            Some(call_key(&CallParts(
                Some("acme"),
                "s1",
                "u1",
                "refund",
                "call_0"
            )))
        );
        assert_eq!(
            intent_key_json(r#"[null,"s","t","h"]"#),
            Some(intent_key(&IntentParts(None, "s", "t", "h")))
        );
    }

    #[test]
    fn names_of_one_tenant_begin_alike() {
        let call = call_key(&CallParts(Some("acme"), "s1", "u1", "refund", "call_0"));
        let intent = intent_key(&IntentParts(Some("acme"), "s2", "refund", "h"));
        let other = call_key(&CallParts(Some("bolt"), "s1", "u1", "refund", "call_0"));
        let tag = |name: &str| name.split_once('.').map(|(tag, _)| tag.to_owned());
        assert_eq!(tag(&call), Some(tenant_tag(Some("acme"))));
        assert_eq!(tag(&call), tag(&intent));
        assert_ne!(tag(&call), tag(&other));
        assert_eq!(call.len(), TAG_CHARS + 1 + 64);
    }

    #[test]
    fn what_is_no_list_of_strings_has_no_name() {
        for parts in [
            "",
            "{}",
            r#"[null,"a","b","c"]"#,
            r#"[null,"a","b","c",1]"#,
            r#"[null,"a","b","c","\ud800"]"#,
            r#"[null,"a","b",null,"d"]"#,
        ] {
            assert_eq!(call_key_json(parts), None, "{parts}");
        }
    }
}

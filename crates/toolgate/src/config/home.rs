//! The home directory in patterns.
//!
//! Only at a boundary: other agents strip a bare `$HOME` off `$HOMEx` as well, so that a rule
//! speaks of a path that nobody wrote.

use std::sync::Arc;

use super::{node::quoted, shape::Reader, spans::Place};

/// `~`, `~/…`, `$HOME` and `$HOME/…` at the start become the home directory; `~x` and `$HOMEx`
/// are names of something else.
pub(super) fn expand_home(reader: &mut Reader<'_>, pattern: &str, place: Place) -> Arc<str> {
    let rest = pattern
        .strip_prefix('~')
        .or_else(|| pattern.strip_prefix("$HOME"));
    let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
        return Arc::from(pattern);
    };
    match reader.home {
        // The root directory as home, alone, is a slash.
        Some("") if rest.is_empty() => Arc::from("/"),
        Some(home) => Arc::from(format!("{home}{rest}")),
        None => {
            let message = format!(
                "{} stays as it is: the home directory is not known",
                quoted(pattern)
            );
            reader.warn(place, message, "write the whole path");
            Arc::from(pattern)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Document, parse_permission};

    #[test]
    fn home_expands_at_the_start_and_at_a_boundary() {
        let pattern = |text: &str| {
            let rules = parse_permission(
                &format!("{{ \"read\": {{ \"{text}\": \"ask\" }} }}"),
                "f",
                Some("/home/u/"),
            )
            .unwrap();
            rules[0].pattern.to_string()
        };
        assert_eq!(pattern("~"), "/home/u");
        assert_eq!(pattern("~/.ssh/*"), "/home/u/.ssh/*");
        assert_eq!(pattern("$HOME"), "/home/u");
        assert_eq!(pattern("$HOME/x"), "/home/u/x");
        assert_eq!(pattern("$HOMEx"), "$HOMEx");
        assert_eq!(pattern("~other/x"), "~other/x");
        assert_eq!(pattern("a/~/x"), "a/~/x");
    }

    #[test]
    fn an_unknown_home_leaves_the_pattern_and_warns() {
        let text = "{ \"permission\": { \"read\": { \"~/x\": \"ask\" } } }";
        let document = Document {
            text,
            file: "f",
            is_trusted: true,
            home: None,
        };
        let config = Config::parse(&document).unwrap();
        assert_eq!(&*config.permission[0].pattern, "~/x");
        assert!(
            config.warnings[0]
                .message
                .contains("home directory is not known")
        );
    }
}

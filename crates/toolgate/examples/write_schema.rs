//! Writes the JSON Schema of the configuration: `> toolgate.schema.json` at the root.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    let schema = serde_json::to_string_pretty(&toolgate::config::json_schema())?;
    writeln!(io::stdout().lock(), "{schema}")
}

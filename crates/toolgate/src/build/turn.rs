//! What the host says about one turn: who asks, for which model, with what switched on.

use serde::Deserialize;
use serde_json::value::RawValue;

/// One turn, as the host passes it. Everything in it comes from the application, never from the
/// model.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Turn {
    /// The model, when the host names one.
    pub model: Option<Model>,
    /// Flags that are set.
    pub flags: Vec<String>,
    /// The role.
    pub role: Option<String>,
    /// The tenant.
    pub tenant: Option<String>,
    /// Who asks. Rules read it; the core never interprets it.
    pub principal: Option<String>,
    /// The session's overlay: a permission block, as it was written.
    pub permission: Option<Box<RawValue>>,
    /// The booleans of the request, in their order.
    pub tools: Vec<(String, bool)>,
    /// Whether guarded calls are suppressed.
    pub shadow: bool,
    /// Whether a person can be asked.
    pub can_ask: bool,
    /// Whether a store keeps guarded calls from running twice.
    pub has_store: bool,
}

/// A model by provider and id.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Model {
    /// The provider (`anthropic`, `openai.chat`).
    pub provider: String,
    /// The model's id.
    pub id: String,
}

impl Model {
    /// The name that globs match: `provider/model`, with the provider's own suffix (`openai.chat`)
    /// left out, because an operator thinks of the vendor.
    pub fn full_name(&self) -> String {
        let vendor = self.provider.split('.').next().unwrap_or(&self.provider);
        format!("{vendor}/{}", self.id)
    }
}

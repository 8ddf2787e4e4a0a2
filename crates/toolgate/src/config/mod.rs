//! STUB until the parser lands.
#![allow(missing_docs, clippy::allow_attributes_without_reason)]
use indexmap::IndexMap;

use crate::{
    permission::rule::{Origin, Rule},
    tool::Effect,
};

#[derive(Debug, Default)]
pub struct Config {
    pub permission: Vec<Rule>,
    pub locked: Vec<Rule>,
    pub roles: IndexMap<String, RoleConfig>,
    pub visibility: Vec<VisibilityRule>,
    pub toolsets: IndexMap<String, Vec<String>>,
    pub tenants: IndexMap<String, TenantConfig>,
    pub declare: Vec<Declaration>,
}
#[derive(Debug, Default)]
pub struct RoleConfig {
    pub permission: Vec<Rule>,
}
#[derive(Debug, Default)]
pub struct TenantConfig {
    pub toolsets: Vec<String>,
    pub categories: Vec<String>,
    pub locked: Vec<Rule>,
    pub permission: Vec<Rule>,
}
#[derive(Debug)]
pub struct VisibilityRule {
    pub tools: Vec<String>,
    pub models: Vec<String>,
    pub flags: Vec<String>,
    pub offers: bool,
    pub origin: Origin,
}
#[derive(Debug)]
pub struct Declaration {
    pub glob: String,
    pub effect: Option<Effect>,
    pub category: Option<String>,
    pub permission_name: Option<String>,
    pub permission_pattern: Option<String>,
    pub streaming: Option<bool>,
    pub origin: Origin,
}
pub fn parse_permission(
    _t: &str,
    _s: &str,
    _h: Option<&str>,
) -> Result<Vec<Rule>, crate::error::Error> {
    Ok(vec![])
}

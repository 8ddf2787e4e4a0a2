//! A configuration, compiled: every layer of rules that any turn can need.
//!
//! It is apart from the registry because rules change without tools and tools without rules; each
//! of the two is compiled only when it changed.

use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use indexmap::IndexMap;
use jsonschema::json::Json;

use super::defaults::default_rules;
use crate::{
    config::{self, Config, VisibilityRule},
    error::{Code, Error},
    permission::{
        glob::Glob,
        layer::{CompiledLayer, Layer},
        rule::Origin,
    },
};

/// The compiled configuration. Cheap to share; immutable.
#[derive(Debug)]
pub struct Policy<J: Json> {
    /// The shipped rules.
    pub defaults: CompiledLayer<J>,
    /// The rules of the configuration.
    pub config: CompiledLayer<J>,
    /// Its locked rules.
    pub locked: CompiledLayer<J>,
    /// The rules of each role.
    pub roles: IndexMap<String, CompiledLayer<J>>,
    /// What each tenant may use; `*` is any other tenant.
    pub tenants: IndexMap<String, Tenant<J>>,
    /// Layer 1.
    pub visibility: Vec<Visibility>,
    /// The home directory that `~` in patterns stands for.
    pub home: Option<String>,
}

/// What one tenant may use.
#[derive(Debug)]
pub struct Tenant<J: Json> {
    /// Category globs; a tool in no matching category does not exist for this tenant. `None`: it
    /// has every category.
    pub categories: Option<Vec<Glob>>,
    /// Rules of this tenant, after those of the configuration.
    pub permission: CompiledLayer<J>,
    /// Rules that nothing lifts.
    pub locked: CompiledLayer<J>,
}

/// One entry of layer 1.
#[derive(Debug)]
pub struct Visibility {
    /// Tools it speaks of.
    pub tools: Vec<Glob>,
    /// Models it speaks of (`provider/model`); empty: any.
    pub models: Vec<GlobMatcher>,
    /// Flags that all have to be set.
    pub flags: Vec<String>,
    /// Whether it offers or drops.
    pub offers: bool,
    /// Where it stands.
    pub origin: Origin,
}

impl<J: Json> Policy<J> {
    /// Compiles `config`.
    pub fn compile(config: Config, home: Option<String>) -> Result<Self, Error> {
        let mut roles = IndexMap::with_capacity(config.roles.len());
        for (name, role) in config.roles {
            roles.insert(name, CompiledLayer::compile(Layer::Role, role.permission)?);
        }
        let mut tenants = IndexMap::with_capacity(config.tenants.len());
        for (name, tenant) in config.tenants {
            let compiled = Tenant {
                categories: tenant.categories.map(|globs| globs_of(&globs)),
                permission: CompiledLayer::compile(Layer::Config, tenant.permission)?,
                locked: CompiledLayer::compile(Layer::Locked, tenant.locked)?,
            };
            tenants.insert(name, compiled);
        }
        let visibility = config
            .visibility
            .into_iter()
            .map(Visibility::compile)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            defaults: CompiledLayer::compile(Layer::Defaults, default_rules())?,
            config: CompiledLayer::compile(Layer::Config, config.permission)?,
            locked: CompiledLayer::compile(Layer::Locked, config.locked)?,
            roles,
            tenants,
            visibility,
            home,
        })
    }

    /// The position of the shipped rules.
    pub const DEFAULTS: usize = 0;
    /// The position of the configuration's rules.
    pub const CONFIG: usize = 1;
    /// The position of its locked rules.
    pub const LOCKED: usize = 2;
    const FIRST_ROLE: usize = 3;

    /// The position of the rules of role number `role`.
    pub const fn role_position(&self, role: usize) -> usize {
        Self::FIRST_ROLE + role
    }

    /// The position of the rules of tenant number `tenant`; its locked rules come next.
    pub fn tenant_position(&self, tenant: usize) -> usize {
        Self::FIRST_ROLE + self.roles.len() + 2 * tenant
    }

    /// How many layers there are.
    pub fn layer_count(&self) -> usize {
        self.tenant_position(self.tenants.len())
    }

    /// The layer at `position`.
    pub fn layer(&self, position: usize) -> Option<&CompiledLayer<J>> {
        match position {
            Self::DEFAULTS => Some(&self.defaults),
            Self::CONFIG => Some(&self.config),
            Self::LOCKED => Some(&self.locked),
            _ => {
                let role = position.checked_sub(Self::FIRST_ROLE)?;
                if let Some((_, layer)) = self.roles.get_index(role) {
                    return Some(layer);
                }
                let of_tenants = role.checked_sub(self.roles.len())?;
                let (_, tenant) = self.tenants.get_index(of_tenants / 2)?;
                Some(if of_tenants % 2 == 0 {
                    &tenant.permission
                } else {
                    &tenant.locked
                })
            }
        }
    }

    /// Every layer, by position.
    pub fn layers(&self) -> impl Iterator<Item = &CompiledLayer<J>> {
        (0..self.layer_count()).filter_map(|position| self.layer(position))
    }
}

impl Visibility {
    fn compile(rule: VisibilityRule) -> Result<Self, Error> {
        let models = rule.models.iter().map(|model| {
            let glob = GlobBuilder::new(model).literal_separator(false).build();
            glob.map(|glob| glob.compile_matcher()).map_err(|error| {
                Error::new(
                    Code::ConfigInvalid,
                    format!(
                        "model glob `{model}` at {} is not a glob: {}",
                        rule.origin,
                        error.kind()
                    ),
                    "write `provider/model` with `*`, such as `anthropic/claude-*`",
                )
            })
        });
        Ok(Self {
            models: models.collect::<Result<_, _>>()?,
            tools: globs_of(&rule.tools),
            flags: rule.flags,
            offers: rule.action == config::Visibility::Offer,
            origin: rule.origin,
        })
    }
}

fn globs_of(texts: &[String]) -> Vec<Glob> {
    texts
        .iter()
        .map(|text| Glob::new(&Arc::from(text.as_str())))
        .collect()
}

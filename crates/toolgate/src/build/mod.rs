//! Before the model speaks: register, offer, rewrite, seal.
//!
//! `Registry → Offered → Rewritten → Table`, each made only from the one before. The order of the
//! layers is in these types and nowhere else:
//!
//! 1. [`registry`]: who may take which name, under one [`policy`].
//! 2. [`offer`]: the tenant's toolset, then what this model is offered.
//! 3. [`rewrite`]: what plugins made of the definitions.
//! 4. [`seal`]: what rules leave for this role, session and request.
//! 5. [`table`]: the result, which also decides every call.

pub mod defaults;
pub mod policy;
pub mod turn;

mod conditions;
pub mod registry;

pub mod offer;
pub mod rewrite;
pub mod seal;
pub mod table;

pub mod explain;

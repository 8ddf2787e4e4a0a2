//! Before the model speaks: register, offer, rewrite, seal.

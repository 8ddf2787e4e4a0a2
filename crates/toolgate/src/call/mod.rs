//! After the model speaks: validate, decide, ask, record, settle.

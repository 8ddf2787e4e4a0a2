//! The napi boundary of toolgate: converts, decides nothing.

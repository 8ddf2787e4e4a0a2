//! The configuration file: its keys, and the place of everything in it.

//! Alpha-beta.

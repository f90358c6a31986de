//! Shōbu: rules, notation, files.

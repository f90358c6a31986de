use std::fmt;

/// A text in both languages of the user interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Localized {
    /// English.
    pub en: &'static str,
    /// Spanish.
    pub es: &'static str,
}

/// A [`Localized`] text composed at run time. Displayed in English.
///
/// ```
/// use tablero_core::{Localized, LocalizedString};
///
/// let text = LocalizedString::new(format!("square {}", "d3"), format!("la casilla {}", "d3"));
/// assert_eq!((text.to_string().as_str(), text.es.as_str()), ("square d3", "la casilla d3"));
/// assert_eq!(LocalizedString::from(Localized::new("a move", "una jugada")).es, "una jugada");
/// assert_eq!(LocalizedString::from("e4").es, "e4");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalizedString {
    /// English.
    pub en: String,
    /// Spanish.
    pub es: String,
}

impl LocalizedString {
    /// A text in both languages.
    pub fn new(en: impl Into<String>, es: impl Into<String>) -> Self {
        Self { en: en.into(), es: es.into() }
    }
}

impl From<Localized> for LocalizedString {
    fn from(text: Localized) -> Self {
        Self::new(text.en, text.es)
    }
}

/// The same text in both languages.
impl From<&str> for LocalizedString {
    fn from(text: &str) -> Self {
        Self::new(text, text)
    }
}

/// The same text in both languages.
impl From<String> for LocalizedString {
    fn from(text: String) -> Self {
        Self { es: text.clone(), en: text }
    }
}

impl fmt::Display for LocalizedString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.en)
    }
}

impl Localized {
    /// A text in both languages.
    pub const fn new(en: &'static str, es: &'static str) -> Self {
        Self { en, es }
    }
}

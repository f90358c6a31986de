/// A text in both languages of the user interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Localized {
    /// English.
    pub en: &'static str,
    /// Spanish.
    pub es: &'static str,
}

impl Localized {
    /// A text in both languages.
    pub const fn new(en: &'static str, es: &'static str) -> Self {
        Self { en, es }
    }
}

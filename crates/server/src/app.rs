/// What all handlers share.
#[derive(Clone)]
pub struct App;

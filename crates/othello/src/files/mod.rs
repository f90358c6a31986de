//! Files of Othello games and positions.

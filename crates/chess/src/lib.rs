//! Chess: rules from cozy-chess, FEN, SAN, PGN, EPD.

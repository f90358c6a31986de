//! The terms of the evaluations for people.

use tablero_core::{Localized, LocalizedString};

/// What a term measures; its name if it has no text.
pub(super) fn text(name: &'static str) -> LocalizedString {
    let known = TEXTS.iter().find(|(known, _)| *known == name);
    known.map_or_else(|| name.into(), |&(_, text)| text.into())
}

const TEXTS: &[(&str, Localized)] = &[
    ("pawn", Localized::new("pawns", "peones")),
    ("knight", Localized::new("knights", "caballos")),
    ("bishop", Localized::new("bishops", "alfiles")),
    ("rook", Localized::new("rooks", "torres")),
    ("queen", Localized::new("queens", "damas")),
    ("pawn-squares", Localized::new("squares of pawns", "casillas de los peones")),
    ("knight-squares", Localized::new("squares of knights", "casillas de los caballos")),
    ("bishop-squares", Localized::new("squares of bishops", "casillas de los alfiles")),
    ("rook-squares", Localized::new("squares of rooks", "casillas de las torres")),
    ("queen-squares", Localized::new("squares of queens", "casillas de las damas")),
    ("king-squares", Localized::new("square of the king", "casilla del rey")),
    ("mobility-knight", Localized::new("mobility of knights", "movilidad de caballos")),
    ("mobility-bishop", Localized::new("mobility of bishops", "movilidad de alfiles")),
    ("mobility-rook", Localized::new("mobility of rooks", "movilidad de torres")),
    ("mobility-queen", Localized::new("mobility of queens", "movilidad de damas")),
    ("bishop-pair", Localized::new("bishop pair", "pareja de alfiles")),
    ("bad-bishop", Localized::new("pawns on the bishop's colour", "peones del color del alfil")),
    ("outpost-knight", Localized::new("knights on outposts", "caballos en puestos avanzados")),
    ("outpost-bishop", Localized::new("bishops on outposts", "alfiles en puestos avanzados")),
    ("rook-open", Localized::new("rooks on open files", "torres en columnas abiertas")),
    (
        "rook-half-open",
        Localized::new("rooks on half-open files", "torres en columnas semiabiertas"),
    ),
    ("rook-seventh", Localized::new("rooks on the seventh rank", "torres en séptima")),
    ("doubled", Localized::new("doubled pawns", "peones doblados")),
    ("isolated", Localized::new("isolated pawns", "peones aislados")),
    (
        "isolated-open",
        Localized::new(
            "isolated pawns on half-open files",
            "peones aislados en columnas semiabiertas",
        ),
    ),
    ("backward", Localized::new("backward pawns", "peones retrasados")),
    (
        "backward-open",
        Localized::new(
            "backward pawns on half-open files",
            "peones retrasados en columnas semiabiertas",
        ),
    ),
    ("connected", Localized::new("connected pawns", "peones ligados")),
    ("passed", Localized::new("passed pawns", "peones pasados")),
    (
        "passed-own-king",
        Localized::new(
            "own king's distance from passed pawns",
            "distancia del rey propio a los peones pasados",
        ),
    ),
    (
        "passed-other-king",
        Localized::new(
            "enemy king's distance from passed pawns",
            "distancia del rey rival a los peones pasados",
        ),
    ),
    ("passed-supported", Localized::new("supported passed pawns", "peones pasados apoyados")),
    ("passed-blocked", Localized::new("blocked passed pawns", "peones pasados bloqueados")),
    (
        "passed-free",
        Localized::new("passed pawns with a free path", "peones pasados con el camino libre"),
    ),
    ("passed-rook", Localized::new("rooks behind passed pawns", "torres detrás de peones pasados")),
    ("passed-runner", Localized::new("unstoppable passed pawn", "peón pasado imparable")),
    ("shield-near", Localized::new("pawn shield, near", "escudo de peones, cerca")),
    (
        "shield-far",
        Localized::new("pawn shield, one rank away", "escudo de peones, una fila más allá"),
    ),
    (
        "king-half-open",
        Localized::new("half-open files at the king", "columnas semiabiertas junto al rey"),
    ),
    ("king-open", Localized::new("open files at the king", "columnas abiertas junto al rey")),
    ("storm", Localized::new("pawn storm", "tormenta de peones")),
    (
        "king-weak",
        Localized::new("weak squares of the king zone", "casillas débiles de la zona del rey"),
    ),
    (
        "king-attack-knight",
        Localized::new("knights attacking the king zone", "caballos que atacan la zona del rey"),
    ),
    (
        "king-attack-bishop",
        Localized::new("bishops attacking the king zone", "alfiles que atacan la zona del rey"),
    ),
    (
        "king-attack-rook",
        Localized::new("rooks attacking the king zone", "torres que atacan la zona del rey"),
    ),
    (
        "king-attack-queen",
        Localized::new("queens attacking the king zone", "damas que atacan la zona del rey"),
    ),
    ("safe-check-knight", Localized::new("safe check by a knight", "jaque seguro de caballo")),
    ("safe-check-bishop", Localized::new("safe check by a bishop", "jaque seguro de alfil")),
    ("safe-check-rook", Localized::new("safe check by a rook", "jaque seguro de torre")),
    ("safe-check-queen", Localized::new("safe check by a queen", "jaque seguro de dama")),
    (
        "king-danger",
        Localized::new("attack units against the king", "unidades de ataque contra el rey"),
    ),
    ("threat-pawn", Localized::new("pieces attacked by pawns", "piezas atacadas por peones")),
    (
        "threat-push",
        Localized::new(
            "pieces that pawn pushes would attack",
            "piezas que atacaría un avance de peón",
        ),
    ),
    (
        "threat-minor",
        Localized::new(
            "heavy pieces attacked by minor pieces",
            "piezas mayores atacadas por menores",
        ),
    ),
    ("threat-rook", Localized::new("queens attacked by rooks", "damas atacadas por torres")),
    (
        "threat-king",
        Localized::new(
            "undefended piece attacked by the king",
            "pieza indefensa atacada por el rey",
        ),
    ),
    ("hanging", Localized::new("hanging pieces", "piezas colgadas")),
    ("mop-up-edge", Localized::new("bare king near the edge", "rey solo cerca del borde")),
    (
        "mop-up-proximity",
        Localized::new("own king near the bare king", "rey propio cerca del rey solo"),
    ),
    ("tempo", Localized::new("the move (tempo)", "el turno (tempo)")),
    ("endgame-scale", Localized::new("drawish endgame", "final con tendencia a tablas")),
];

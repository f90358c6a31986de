/** Chess pieces in a 100 × 100 square: filled shapes, and fine lines on them. */

export interface Drawing {
  body: string[]
  lines: string[]
}

const BASE = 'M27 75H73C76.5 75 79 77.5 79 81V85.500A2.5 2.5 0 0 1 76.5 88H23.500A2.5 2.5 0 0 1 21 85.500V81C21 77.5 23.5 75 27 75Z'

function disc(x: number, y: number, r: number): string {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`
}

/** A collar of a piece, `width` wide. */
function collar(y: number, width: number, height = 7): string {
  const r = height / 2
  const half = width / 2 - r
  return `M${50 - half} ${y}H${50 + half}a${r} ${r} 0 0 1 0 ${height}H${50 - half}a${r} ${r} 0 0 1 0 ${-height}Z`
}

const FLAT_BASE = 'M24 77H76V87A3 3 0 0 1 73 90H27A3 3 0 0 1 24 87Z'

/** Plain silhouettes, by the names of shapes in the API. */
const FLAT: Record<string, Drawing | undefined> = {
  pawn: { body: ['M40 44H60L70 77H30Z', disc(50, 33, 15), FLAT_BASE], lines: [] },
  rook: { body: ['M27 19H38V27H45V19H55V27H62V19H73V41L66 48V77H34V48L27 41Z', FLAT_BASE], lines: [] },
  knight: {
    body: ['M33 77C33 62 46 56 48 45C41 47 35 54 28 54C21 54 17 48 19 42C22 34 29 31 31 24L32 11L44 19C65 20 78 39 76 77Z', FLAT_BASE],
    lines: [],
  },
  bishop: {
    body: ['M50 17C63 28 69 38 69 47C69 54 65 59 60 61L66 77H34L40 61C35 59 31 54 31 47C31 38 37 28 50 17Z', disc(50, 14, 6), FLAT_BASE],
    lines: ['M50 32V48M42 40H58'],
  },
  queen: {
    body: ['M17 29L32 47L36 22L50 44L64 22L68 47L83 29L74 77H26Z', disc(17, 26, 5.5), disc(36, 18, 5.5), disc(64, 18, 5.5), disc(83, 26, 5.5), FLAT_BASE],
    lines: [],
  },
  king: {
    body: ['M46 27V19H39V12H46V5H54V12H61V19H54V27Z', 'M50 36C58 21 84 25 81 45C79 56 70 60 68 77H32C30 60 21 56 19 45C16 25 42 21 50 36Z', FLAT_BASE],
    lines: [],
  },
}

/** The drawing of a chess piece; undefined for other shapes. */
export function drawingOfPiece(shape: string, set: string): Drawing | undefined {
  return set === 'flat' ? FLAT[shape] : CHESS_PIECES[shape]
}

/** By the names of shapes in the API. */
const CHESS_PIECES: Record<string, Drawing | undefined> = {
  pawn: {
    body: ['M42 47C42 59 35 68 29 75H71C65 68 58 59 58 47Z', collar(42, 33), disc(50, 30, 13), BASE],
    lines: [],
  },
  rook: {
    body: [
      'M36 42H64L68 75H32Z',
      'M26 18H37V26H45V18H55V26H63V18H74V34C74 39 70 43 65 43H35C30 43 26 39 26 34Z',
      BASE,
    ],
    lines: ['M37.5 50.500H62.5', 'M36 66.500H64'],
  },
  knight: {
    body: [
      'M33 76C33 64 43 58 47 49C43 51 39 52 36 55C33 58 31 62 26 62C20 62 16 57 18 51C20 45 25 41 27 35C28 30 30 26 34 23L33 11L44 18C62 18 77 32 77 58C77 65 76 70 75 76Z',
      BASE,
    ],
    lines: ['M49 25C61 29 68 41 68 62'],
  },
  bishop: {
    body: [
      'M43 64C42 69 37 73 31 75H69C63 73 58 69 57 64Z',
      'M50 19C37 28 30 40 34 51C35.5 55 38 57.5 41 59H59C62 57.5 64.5 55 66 51C70 40 63 28 50 19Z',
      collar(58, 36),
      disc(50, 15, 5.5),
      BASE,
    ],
    lines: ['M57 31L48 43'],
  },
  queen: {
    body: [
      'M17 31L31 51L33.5 24L44.5 48L50 20L55.5 48L66.5 24L69 51L83 31L72 66H28Z',
      disc(17, 28, 5),
      disc(33.5, 20, 5),
      disc(50, 16, 5),
      disc(66.5, 20, 5),
      disc(83, 28, 5),
      'M28 64C40 60 60 60 72 64L75 76H25Z',
      BASE,
    ],
    lines: ['M32 69.5C43 66.5 57 66.5 68 69.5'],
  },
  king: {
    body: [
      'M47 24V18H41V12H47V6H53V12H59V18H53V24Z',
      'M50 38C43 22 17 25 17 44C17 54 26 59 29 67H71C74 59 83 54 83 44C83 25 57 22 50 38Z',
      'M50 22C43 27 43 36 50 45C57 36 57 27 50 22Z',
      'M28 65C40 61 60 61 72 65L75 76H25Z',
      BASE,
    ],
    lines: ['M50 47V59', 'M32 70C43 67 57 67 68 70'],
  },
}

/** The knight's eye and nostril. */
export const KNIGHT_DOTS = [
  { x: 38, y: 32, r: 3 },
  { x: 24, y: 53, r: 1.8 },
]

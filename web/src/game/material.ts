/** The material difference in chess. */

import { kindOf, pieceSide, type GameName, type Side } from '../boards/games'

/** The usual values, by the names of shapes in the API; other pieces count nothing. */
const VALUES: Record<string, number | undefined> = { pawn: 1, knight: 3, bishop: 3, rook: 5, queen: 9 }

/** By how many pawns a side is ahead; negative if it is behind. */
export function materialLead(game: GameName, cells: string, side: Side): number {
  const values = new Map(kindOf(game).board.pieces.map((piece) => [piece.letter, VALUES[piece.shape] ?? 0]))
  let lead = 0
  for (const letter of cells) {
    const value = values.get(letter)
    if (value) lead += pieceSide(game, letter) === side ? value : -value
  }
  return lead
}

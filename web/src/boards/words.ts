/** Display names of games, sides and pieces. */

import { local } from '../i18n'
import { kindOf, pieceKind, sideOf, type GameName, type Piece, type Side } from './games'

export function titleOf(game: GameName): string {
  return local(kindOf(game).title)
}

export function leadOf(game: GameName): string {
  return local(kindOf(game).lead)
}

export function sideName(game: GameName, side: Side): string {
  return local(sideOf(game, side).title)
}

export function sideNames(game: GameName): [string, string] {
  return [sideName(game, 0), sideName(game, 1)]
}

export function pieceName(game: GameName, piece: Piece): string {
  const kind = pieceKind(game, piece)
  return kind ? local(kind.name) : piece
}

/** Moves as people read them: with the letters of their language, or with pictures of the pieces. */

import { settings } from '../settings.svelte'
import { kindOf, type GameName } from './games'

/** The letters of pieces by shape; the notation of files and requests is always English. */
const LETTERS = {
  en: { king: 'K', queen: 'Q', rook: 'R', bishop: 'B', knight: 'N', pawn: 'P' },
  es: { king: 'R', queen: 'D', rook: 'T', bishop: 'A', knight: 'C', pawn: 'P' },
} as const
const FIGURINES: Record<string, string | undefined> = { king: '♔', queen: '♕', rook: '♖', bishop: '♗', knight: '♘', pawn: '♙' }

/** The letter of a piece in the language of the page; empty if its shape has none. */
export function pieceLetter(shape: string): string {
  return (LETTERS[settings.language] as Record<string, string | undefined>)[shape] ?? ''
}

/** A move of the server as it is shown: Nf3 is Cf3 in Spanish, and ♘f3 in figurines. */
export function moveText(game: GameName, label: string): string {
  const pieces = kindOf(game).board.pieces
  return label.replace(/[A-Z]/g, (letter) => {
    const shape = pieces.find((piece) => piece.letter === letter)?.shape
    if (!shape) return letter
    const shown = settings.figurines ? FIGURINES[shape] : pieceLetter(shape)
    return shown || letter
  })
}

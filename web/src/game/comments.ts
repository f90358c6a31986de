/** Comments of moves: their text, and the arrows and circles in them (`[%csl Ge4]`, `[%cal Re2e4]`). */

import type { Mark } from '../boards/Marks.svelte'

const COMMAND = /\[%(csl|cal) ([^\]]*)\]/g
/** Columns are letters and rows numbers, or the other way round. */
const SQUARE = '(?:[a-z]+\\.?\\d+|\\d+\\.?[a-z]+)'
const MARK = new RegExp(`^([GRBY])(${SQUARE})(${SQUARE})?$`)

/** The marks in a comment. */
export function marksIn(comment: string): Mark[] {
  return [...comment.matchAll(COMMAND)].flatMap(([, , list = '']) =>
    list.split(',').flatMap((text): Mark[] => {
      const [, colour = 'G', from = '', to] = MARK.exec(text.trim()) ?? []
      return from ? [{ colour: colour === 'R' || colour === 'B' ? colour : 'G', from, to }] : []
    }),
  )
}

/** A comment without its marks. */
export function textOf(comment: string): string {
  return comment.replace(COMMAND, '').trim()
}

/** A comment with these marks instead of its own. */
export function withMarks(comment: string, marks: Mark[]): string {
  const list = (name: string, own: Mark[]) =>
    own.length > 0 ? `[%${name} ${own.map((mark) => mark.colour + mark.from + (mark.to ?? '')).join(',')}]` : ''
  const circles = list('csl', marks.filter((mark) => !mark.to))
  const arrows = list('cal', marks.filter((mark) => mark.to))
  return [textOf(comment), circles + arrows].filter(Boolean).join(' ')
}

/** Adds a mark; the same one again removes it, in another colour it is recoloured. */
export function toggle(marks: Mark[], mark: Mark): Mark[] {
  const isSame = (other: Mark) => other.from === mark.from && other.to === mark.to
  const others = marks.filter((other) => !isSame(other))
  return marks.some((other) => isSame(other) && other.colour === mark.colour) ? others : [...others, mark]
}

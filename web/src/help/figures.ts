/** The pictures of the rules: one position a paragraph, if it has one. */

import type { GameName, Square } from '../boards/games'
import { SHAPES } from '../boards/games'

export interface Figure {
  cells: string
  marks?: Square[]
  arrows?: [Square, Square][]
  dots?: Square[]
}

/** Cells from rows of text; blanks are for the eye. */
function rows(...lines: string[]): string {
  return lines.join('').replaceAll(' ', '')
}

const SHOBU_EMPTY = ['.... ....', '.... ....']

export const FIGURES: Record<GameName, (Figure | null)[]> = {
  othello: [
    { cells: SHAPES.othello.start },
    { cells: SHAPES.othello.start, dots: ['d3', 'c4', 'f5', 'e6'] },
    {
      cells: rows('........', '........', '...X....', '...XX...', '...XO...', '........', '........', '........'),
      marks: ['d3'],
      arrows: [['d3', 'd5']],
    },
    null,
  ],
  chess: [
    {
      cells: rows('r.bqkb.r', 'pppp.Qpp', '..n..n..', '....p...', '..B.P...', '........', 'PPPP.PPP', 'RNB.K.NR'),
      marks: ['f7', 'e8'],
    },
    {
      cells: rows('........', '........', '........', '...N....', '........', '.B......', '........', 'R......Q'),
      arrows: [['d5', 'f6'], ['b3', 'e6'], ['a1', 'a5'], ['h1', 'e4'], ['h1', 'h6']],
    },
    {
      cells: rows('........', '........', '........', '........', '........', '........', 'PP...PPP', 'R...K..R'),
      arrows: [['e1', 'g1'], ['h1', 'f1']],
    },
    null,
  ],
  shobu: [
    { cells: SHAPES.shobu.start },
    { cells: SHAPES.shobu.start, marks: ['b1', 'b2'], arrows: [['b1', 'b2']] },
    {
      cells: rows('wwww ww.w', '.... ..w.', '.... ..b.', 'bbbb bb.b', 'wwww wwww', '.... ....', '.b.. ....', 'b.bb bbbb'),
      marks: ['b2', 'g6'],
      arrows: [['b1', 'b2'], ['g6', 'g7']],
    },
    {
      cells: rows('..b. ww.w', '.... ....', '...b ..b.', 'b... bb..', 'w.ww w.ww', ...SHOBU_EMPTY, 'b.bb bbb.'),
      marks: SHAPES.shobu.squares.filter((square) => /[a-d][5-8]/.test(square)),
    },
  ],
  tictactoe: [{ cells: rows('x..', '.o.', '..x') }, { cells: rows('xxx', '.oo', '...'), marks: ['a1', 'b1', 'c1'] }],
}

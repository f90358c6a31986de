import { expect, it } from 'vitest'
import { marksIn, textOf, toggle, withMarks } from './comments'

it('marks are kept in comments as PGN viewers do', () => {
  const comment = 'A fork. [%csl Gf7,Re8][%cal Bg5f7]'
  expect(marksIn(comment)).toEqual([
    { colour: 'G', from: 'f7', to: undefined },
    { colour: 'R', from: 'e8', to: undefined },
    { colour: 'B', from: 'g5', to: 'f7' },
  ])
  expect(textOf(comment)).toBe('A fork.')
  expect(withMarks(comment, marksIn(comment))).toBe(comment)
  expect(withMarks(comment, [])).toBe('A fork.')
  expect(marksIn('[%cal R4a4d]')).toEqual([{ colour: 'R', from: '4a', to: '4d' }])
  expect(withMarks('', [{ colour: 'G', from: 'a1', to: undefined }])).toBe('[%csl Ga1]')
})

it('commands of others are left alone', () => {
  expect(marksIn('[%clk 0:01:00] [%csl nonsense,Y a4,Yh5]')).toEqual([{ colour: 'G', from: 'h5', to: undefined }])
  expect(textOf('[%clk 0:01:00]')).toBe('[%clk 0:01:00]')
})

it('the same mark again removes it, another colour replaces it', () => {
  const mark = { colour: 'G', from: 'a1', to: 'b2' } as const
  expect(toggle([mark], mark)).toEqual([])
  expect(toggle([mark], { ...mark, colour: 'R' })).toEqual([{ ...mark, colour: 'R' }])
  expect(toggle([mark], { ...mark, to: undefined })).toHaveLength(2)
})

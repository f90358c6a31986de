import { expect, it, vi } from 'vitest'

vi.stubGlobal('location', { hash: '' })
vi.stubGlobal('addEventListener', () => {})
const { href, parseRoute } = await import('./router.svelte')

it('routes are parsed from the fragment', () => {
  const route = parseRoute('#/share/chess~~a%20b?x=1')
  expect(route.path).toEqual(['share', 'chess~~a b'])
  expect(route.query.get('x')).toBe('1')
  expect(parseRoute('').path).toEqual([])
  expect(parseRoute('#/game/%zz').path).toEqual(['game', '%zz'])
})

it('routes are formatted', () => {
  expect(href('new', { game: 'chess' })).toBe('#/new?game=chess')
})

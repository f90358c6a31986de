import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { esErrors } from './errors.es'
import { compile, rephrase } from './patterns'

const patterns = compile(esErrors)
const inSpanish = (text: string) => rephrase(text, patterns)

it('sentences are said in Spanish with what was found in them', () => {
  expect(inSpanish('there is no game `x1`')).toBe('no existe la partida `x1`')
  expect(inSpanish('player `mcts x=1`: `mcts` has no option `x`; it has time, cp')).toBe(
    'jugador `mcts x=1`: `mcts` no tiene la opción `x`; tiene time, cp',
  )
  expect(inSpanish('`depth=0`: depth is a whole number 1 to 100')).toBe('`depth=0`: depth es un número entero de 1 a 100')
  expect(inSpanish('line 1, column 3: found the end of the input, expected a legal move (d3 c4)')).toBe(
    'línea 1, columna 3: hay el final del texto, se esperaba una jugada legal (d3 c4)',
  )
  expect(inSpanish('something else')).toBe('something else')
})

it('every sentence has one translation, which names only what was found', () => {
  const english = esErrors.map(([from]) => from)
  expect(new Set(english).size).toBe(english.length)
  for (const [from, to] of esErrors) {
    const count = from.split('{}').length - 1
    const named = [...to.matchAll(/\{(\d+)\}/g)].map((match) => Number(match[1]))
    expect(Math.max(0, ...named), from).toBeLessThanOrEqual(count)
  }
})

/** The sentences that the server itself can answer with. */
function sentences(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.rs'))
    .flatMap((name) => {
      const code = readFileSync(join(folder, name), 'utf8').split('#[cfg(test)]')[0] ?? ''
      const found = code.matchAll(/(?:ApiError::\w+|ThinkError::Failed)\(\s*(?:format!\(\s*)?"((?:[^"\\]|\\.|\\\n)*)"/g)
      return [...found].map(([, text = '']) => text.replace(/\\\n\s*/g, '').replace(/\{[^}]*\}/g, '{}'))
    })
    // A frame around another sentence says nothing itself.
    .filter((text) => text.replaceAll('{}', '').length > 3)
}

it('whatever the server says can be said in Spanish', () => {
  const all = sentences(new URL('../../../crates/server/src', import.meta.url).pathname)
  expect(all.length).toBeGreaterThan(40)
  const known = new Set(esErrors.map(([from]) => from))
  expect(all.filter((text) => !known.has(text))).toEqual([])
})

import { afterEach, expect, it, vi } from 'vitest'
import openapi from '../../openapi.json'
import { ApiError } from '../api/client'
import type { ErrorBody, Problem } from '../api/types'
import { wordProblem } from './problems'
import { esProblems } from './problems.es'
import { esText, esTexts } from './texts.es'

vi.stubGlobal('navigator', { language: 'en' })
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
const { settings } = await import('../settings.svelte')
const { errorText } = await import('.')

afterEach(() => (settings.language = 'en'))

const inSpanish = (problem: Problem) => wordProblem(esProblems, { ...problem, message: 'in English' })

it('problems are worded in Spanish from code and parameters', () => {
  expect(inSpanish({ code: 'game_over' })).toBe('la partida ha terminado aquí')
  expect(inSpanish({ code: 'game_not_found', params: { id: 'x1' } })).toBe('no existe la partida `x1`')
  expect(inSpanish({ code: 'no_such_format', params: { asked: 'doc', known: ['pgn', 'sgf'] } })).toBe(
    'no existe el formato `doc`; hay pgn, sgf',
  )
})

it('texts from below are put into the frame of the code', () => {
  const reason = '`mcts` has no option `x`; it has time, cp'
  expect(inSpanish({ code: 'invalid_player', params: { player: 'mcts x=1', reason } })).toBe(
    'jugador `mcts x=1`: `mcts` no tiene la opción `x`; tiene time, cp',
  )
  const unread = { found: 'the end of the input', expected: 'a legal move (d3 c4)' }
  expect(inSpanish({ code: 'invalid_position', params: { location: { line: 1, column: 3 }, ...unread } })).toBe(
    'posición: línea 1, columna 3: hay el final del texto, se esperaba una jugada legal (d3 c4)',
  )
  const file = { format: 'wtb', game: 'othello', location: { byte: 16 }, found: '7', expected: 'a board of 8' }
  expect(inSpanish({ code: 'damaged_file', params: file })).toBe(
    'archivo wtb de othello no válido: byte 16: hay 7, se esperaba a board of 8',
  )
})

it('what a person typed is not translated', () => {
  expect(inSpanish({ code: 'no_such_page', params: { path: 'a legal move' } })).toBe('no existe `a legal move`')
})

it('an error is told in the language that the person chose', () => {
  const body: ErrorBody = { code: 'job_not_found', params: { job: 'j' }, message: 'there is no job `j`' }
  expect(errorText(body)).toBe('there is no job `j`')
  settings.language = 'es'
  expect(errorText(body)).toBe('no existe el trabajo `j`')
  expect(errorText(new ApiError(body))).toBe('no existe el trabajo `j`')
  expect(errorText(new Error('Failed to fetch'))).toBe('Failed to fetch')
})

it('a code of a newer server is told in its words', () => {
  const body = { code: 'quite_new', message: 'something new' } as unknown as ErrorBody
  expect(wordProblem(esProblems, body)).toBe('something new')
})

/** Problems of every code, with what the API's description allows as parameters. */
function samples(): { problem: Problem; english: string; values: Map<string, string> }[] {
  return openapi.components.schemas.Problem.oneOf.map(({ description, properties }) => {
    const described = (properties.params?.properties ?? {}) as Record<string, { type?: string; $ref?: string }>
    const fields = Object.entries(described)
    const params: Record<string, unknown> = {}
    const values = new Map<string, string>()
    fields.forEach(([name, field], i) => {
      const ref = field.$ref ?? ''
      const number = 9001 + i
      if (ref.endsWith('/Names')) params[name] = [`n${number}`, 'other']
      else if (ref.endsWith('/Location')) params[name] = { line: number, column: 1 }
      else params[name] = field.type === 'integer' ? number : `n${number}`
      values.set(name, String(number))
    })
    return { problem: { code: properties.code.enum[0], params } as Problem, english: description, values }
  })
}

it('Spanish names every parameter that English names', () => {
  for (const { problem, english, values } of samples()) {
    const spanish = inSpanish(problem)
    for (const [, name = ''] of english.matchAll(/\{(\w+)\}/g)) expect(spanish, problem.code).toContain(values.get(name))
    expect(spanish, problem.code).not.toMatch(/undefined|\[object|in English/)
  }
})

it('texts without a code are said in Spanish with what was found in them', () => {
  expect(esText('`depth=0`: depth is a whole number 1 to 100')).toBe('`depth=0`: depth es un número entero de 1 a 100')
  expect(esText('`eval=x.genes`: files are not read here; known are discs, iago')).toBe(
    '`eval=x.genes`: aquí no se leen archivos; se conocen discs, iago',
  )
  expect(esText('generation 3: games')).toBe('generación 3: partidas')
  expect(esText('something else')).toBe('something else')
})

it('every such text has one translation, which names only what was found', () => {
  const english = esTexts.map(([from]) => from)
  expect(new Set(english).size).toBe(english.length)
  for (const [from, to] of esTexts) {
    const count = from.split('{}').length - 1
    const named = [...to.matchAll(/\{(\d+)\}/g)].map((match) => Number(match[1]))
    expect(Math.max(0, ...named), from).toBeLessThanOrEqual(count)
  }
})

import { afterEach, expect, it, vi } from 'vitest'
import openapi from '../../openapi.json'
import { ApiError } from '../api/client'
import type { ErrorBody, Problem } from '../api/types'
import { problemText } from './problems'

vi.stubGlobal('navigator', { language: 'en' })
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
const { settings } = await import('../settings.svelte')
const { esProblems } = await import('./problems.es')
const { errorText } = await import('.')

afterEach(() => (settings.language = 'en'))

const inSpanish = (problem: Problem) => problemText(esProblems, { ...problem, message: 'in English' })

it('errors are formatted in Spanish from code and parameters', () => {
  expect(inSpanish({ code: 'game_over' })).toBe('la partida ha terminado aquí')
  expect(inSpanish({ code: 'game_not_found', params: { id: 'x1' } })).toBe('no existe la partida `x1`')
  expect(inSpanish({ code: 'unknown_format', params: { name: 'doc', available: ['pgn', 'sgf'] } })).toBe(
    'formato desconocido `doc`; hay pgn, sgf',
  )
  expect(inSpanish({ code: 'unknown_option', params: { kind: 'mcts', option: 'x', available: ['time', 'cp'] } })).toBe(
    '`mcts` no tiene la opción `x`; hay time, cp',
  )
})

it('allowed values of options are formatted in Spanish', () => {
  settings.language = 'es'
  const invalid = (allowed: { kind: 'integer' | 'number'; min: number; max: number }) =>
    inSpanish({ code: 'invalid_option_value', params: { option: 'o', value: 'x', allowed } })
  expect(invalid({ kind: 'integer', min: 1, max: 100 })).toBe('`o=x`: se esperaba un entero de 1 a 100')
  expect(invalid({ kind: 'number', min: 0.5, max: 2 })).toBe('`o=x`: se esperaba un número de 0,5 a 2')
})

it('errors are shown in the user\'s language', () => {
  const body: ErrorBody = { code: 'job_not_found', params: { job: 'j' }, message: 'no job `j`' }
  expect(errorText(body)).toBe('no job `j`')
  settings.language = 'es'
  expect(errorText(body)).toBe('no existe el trabajo `j`')
  expect(errorText(new ApiError(body))).toBe('no existe el trabajo `j`')
  expect(errorText(new Error('Failed to fetch'))).toBe('Failed to fetch')
})

it('an unknown code falls back to the server\'s message', () => {
  const body = { code: 'quite_new', message: 'something new' } as unknown as ErrorBody
  expect(problemText(esProblems, body)).toBe('something new')
})

/** A problem of every code, with parameters as the API describes them. */
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
      else if (ref.endsWith('/Localized')) params[name] = { en: 'english', es: `n${number}` }
      else if (ref.endsWith('/Location')) params[name] = { line: number, column: 1 }
      else if (ref.endsWith('/OptionValues')) params[name] = { kind: 'integer', min: number, max: number }
      else params[name] = field.type === 'integer' ? number : `n${number}`
      values.set(name, String(number))
    })
    return { problem: { code: properties.code.enum[0], params } as Problem, english: description, values }
  })
}

it('Spanish texts have every parameter of the English ones', () => {
  for (const { problem, english, values } of samples()) {
    const spanish = inSpanish(problem)
    for (const [, name = ''] of english.matchAll(/\{(\w+)\}/g)) expect(spanish, problem.code).toContain(values.get(name))
    expect(spanish, problem.code).not.toMatch(/undefined|\[object|in English/)
  }
})

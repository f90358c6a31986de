import { afterEach, expect, it, vi } from 'vitest'
import { ApiError, api } from './client'

afterEach(() => vi.unstubAllGlobals())

/** The error that a request throws for this response. */
async function thrown(body: string, status: number): Promise<unknown> {
  vi.stubGlobal('fetch', async () => new Response(body, { status, statusText: 'Bad' }))
  return api.game('g').catch((error: unknown) => error)
}

it('an error response is thrown with its code and parameters', async () => {
  const body = { code: 'game_not_found', params: { id: 'g' }, message: 'no game `g`' }
  const error = await thrown(JSON.stringify(body), 404)
  expect(error).toBeInstanceOf(ApiError)
  expect((error as ApiError).body).toEqual(body)
  expect((error as ApiError).message).toBe(body.message)
})

it('a response that is not an ErrorBody is thrown as text', async () => {
  expect(await thrown('<h1>Gateway</h1>', 502)).toEqual(new Error('<h1>Gateway</h1>'))
  expect(await thrown('', 502)).toEqual(new Error('502 Bad'))
  expect(await thrown('{}', 502)).not.toBeInstanceOf(ApiError)
})

import { afterEach, expect, it, vi } from 'vitest'
import { ApiError, api } from './client'

afterEach(() => vi.unstubAllGlobals())

/** What asking for a game throws if the server answers so. */
async function thrown(body: string, status: number): Promise<unknown> {
  vi.stubGlobal('fetch', async () => new Response(body, { status, statusText: 'Bad' }))
  return api.game('g').catch((error: unknown) => error)
}

it('what the server refuses is thrown with its code and parameters', async () => {
  const body = { code: 'game_not_found', params: { id: 'g' }, message: 'there is no game `g`' }
  const error = await thrown(JSON.stringify(body), 404)
  expect(error).toBeInstanceOf(ApiError)
  expect((error as ApiError).body).toEqual(body)
  expect((error as ApiError).message).toBe(body.message)
})

it('an answer that is not the server\'s is told as it is', async () => {
  expect(await thrown('<h1>Gateway</h1>', 502)).toEqual(new Error('<h1>Gateway</h1>'))
  expect(await thrown('', 502)).toEqual(new Error('502 Bad'))
  expect(await thrown('{}', 502)).not.toBeInstanceOf(ApiError)
})

/** Learning runs in the lab: started, watched, stopped and resumed; their networks play and are asked. */

import { expect, it } from 'vitest'
import { clickSquares, useWorld } from './world'

const world = useWorld()

it('a network learns before our eyes, is asked, replayed and played against', async () => {
  const page = await world.open('lab/learning')
  await page.getByText('Tic-tac-toe', { exact: true }).click()
  await page.getByText('Network, numbers, rules').click()
  await page.getByLabel('Generations').fill('2')
  await page.getByLabel('Games of a generation').fill('16')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'Learning · Tic-tac-toe' }).waitFor()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 90_000 })

  await page.getByRole('img', { name: /^Loss in games kept out of learning: moves .+, value/ }).waitFor()
  await page.getByRole('img', { name: /^Elo by generation: rating/ }).waitFor()
  const generations = page.getByRole('region', { name: 'Generations' })
  await expect.poll(() => generations.locator('tbody tr').count()).toBe(3)

  // What the network thinks, move by move.
  const likes = page.getByRole('list', { name: 'Moves it likes' })
  await expect.poll(() => likes.getByRole('listitem').count()).toBe(9)
  await likes.getByRole('button', { name: 'Play b2' }).click()
  await expect.poll(() => likes.getByRole('listitem').count()).toBe(8)
  await page.getByText(/O to move expects [+-]?\d/).waitFor()

  const job = page.url()
  await page.getByRole('button', { name: /^Replay game/ }).first().click()
  await page.getByRole('group', { name: 'Tic-tac-toe board' }).waitFor()

  await page.goto(job)
  await page.getByRole('link', { name: 'Play against generation 1' }).click()
  expect(await page.getByLabel('Player line').inputValue()).toMatch(/^puct net=job:learn-\d+\/1 sims=200$/)
  await page.getByRole('button', { name: 'Start' }).click()
  await clickSquares(page, 'b2')
  await expect.poll(() => page.locator('.moves .move').count()).toBe(2)
  await page.context().close()
}, 180_000)

it('a learning run is stopped and resumed', async () => {
  const page = await world.open('lab/learning')
  await page.getByText('Tic-tac-toe', { exact: true }).click()
  await page.getByText('Network, numbers, rules').click()
  await page.getByLabel('Generations').fill('50')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('running', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'The newest games to learn from' }).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('running', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor({ timeout: 60_000 })
  await page.context().close()
}, 180_000)

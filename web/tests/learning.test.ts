/** Learning runs: start, watch, stop, resume; networks play. */

import { expect, it } from 'vitest'
import { clickSquares, useHarness } from './harness'

const harness = useHarness()

it('a learning run shows its results, and its networks play', async () => {
  const page = await harness.open('lab/learning')
  await page.getByText('Tic-tac-toe', { exact: true }).click()
  await page.getByText('Network and parameters').click()
  await page.getByLabel('Generations').fill('2')
  await page.getByLabel('Games per generation').fill('16')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'Learning · Tic-tac-toe' }).waitFor()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 90_000 })

  await page.getByRole('img', { name: /^Value loss: held-out games .+, training games/ }).waitFor()
  await page.getByRole('img', { name: /^Elo by generation: Elo/ }).waitFor()
  const generations = page.getByRole('region', { name: 'Generations', exact: true })
  await expect.poll(() => generations.locator('tbody tr').count()).toBe(3)

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
  const page = await harness.open('lab/learning')
  await page.getByText('Tic-tac-toe', { exact: true }).click()
  await page.getByText('Network and parameters').click()
  await page.getByLabel('Generations').fill('50')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('running', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Latest training games' }).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('running', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor({ timeout: 60_000 })
  await page.context().close()
}, 180_000)

/** Evolutions: start, watch, stop, resume; individuals play. */

import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import type { EvolutionOptions, Players } from '../src/api/types'

import { clickSquares, status, useHarness } from './harness'

const harness = useHarness()

/** Starts an evolution through the form. */
async function evolve(page: Page, generations: number, seed = 1) {
  await page.goto(`${harness.address}#/lab/evolution`)
  await page.getByText('Tic-tac-toe', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Genome' }).selectOption('lines')
  await page.getByRole('combobox', { name: 'Scheme' }).selectOption('othello7')
  await page.getByLabel('Generations', { exact: true }).fill(String(generations))
  await page.getByLabel('Seed').fill(String(seed))
  await page.getByText('Options of othello7').click()
  await page.getByLabel('population').fill('4')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'Evolution · Tic-tac-toe' }).waitFor()
}

it('players, genomes and schemes have help texts in both languages', async () => {
  for (const { name: game } of await harness.catalog()) {
    const get = async (path: string) => (await fetch(`${harness.address}api/catalog/${game}/${path}`)).json()
    const { genomes, schemes } = (await get('evolution')) as EvolutionOptions
    const { kinds } = (await get('players')) as Players
    const described = [...genomes, ...schemes, ...kinds, ...[...schemes, ...kinds].flatMap((one) => one.options)]
    expect(described.filter(({ about }) => !about.en || !about.es)).toEqual([])
  }
})

const population = (page: Page) => page.getByRole('region', { name: 'Population' })

it('an evolution shows curves and populations, and its individuals can be played against', async () => {
  const page = await harness.open()
  await evolve(page, 6)
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  await page.getByText('6 / 6').waitFor()
  await page.getByRole('img', { name: /^Fitness: best .+, mean .+, worst/ }).waitFor()
  await page.getByRole('img', { name: /^Genes of the best individual/ }).waitFor()
  await page.getByRole('img', { name: /^Diversity: / }).waitFor()
  await expect.poll(() => page.locator('.u-wrap canvas').count()).toBe(3)
  await expect.poll(() => population(page).locator('tbody tr').count()).toBe(8)

  // A curve can be hidden.
  const worst = page.getByRole('button', { name: /^worst/ })
  await worst.click()
  expect(await worst.getAttribute('aria-pressed')).toBe('false')

  // Play against an individual of an earlier generation.
  await expect.poll(() => page.getByLabel('Generation number').inputValue()).toBe('6')
  await page.getByLabel('Generation number').fill('2')
  await page.getByLabel('Generation number').blur()
  await population(page).getByRole('link', { name: 'Play against number 3' }).click()
  await page.getByRole('heading', { name: 'New game' }).waitFor()
  expect(await page.getByLabel('Player line').inputValue()).toMatch(/^minimax depth=1 eval=job:evolution-\d+\/2\/3$/)
  await page.getByRole('button', { name: 'Start' }).click()
  await clickSquares(page, 'b2')
  await expect.poll(() => page.locator('.moves .move').count()).toBe(2)
  await page.getByText(/generation 2, no\. 3/).first().waitFor()
  await status(page, 'X to move').waitFor()
  await page.context().close()
})

it('an evolution is stopped, survives a restart of the server, and is resumed', async () => {
  const page = await harness.open()
  await evolve(page, 20_000, 2)
  await page.getByText('running', { exact: true }).waitFor()
  await page.getByRole('img', { name: /^Fitness: / }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor({ timeout: 30_000 })
  await harness.stopServer()
  await harness.startServer()
  await page.reload()
  await page.getByText('stopped', { exact: true }).waitFor()
  const done = async () => Number(/(\d+) \/ 20000/.exec(await page.locator('main').innerText())?.[1] ?? 0)
  await expect.poll(done).toBeGreaterThan(0)
  const before = await done()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('running', { exact: true }).waitFor()
  await expect.poll(done).toBeGreaterThan(before)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('stopped', { exact: true }).waitFor({ timeout: 30_000 })

  // Another evolution starts from its population.
  await page.getByRole('link', { name: 'Evolve from here' }).click()
  await page.getByText(/Starts from generation \d+ of evolution-\d+/).waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Genome' }).inputValue()).toBe('lines')
  await page.getByLabel('Generations', { exact: true }).fill('1')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  await page.context().close()
}, 180_000)

it('generations play each other, with scores as in Othello7', async () => {
  const page = await harness.open('lab/evolution')
  await page.getByLabel('Generations', { exact: true }).fill('5')
  await page.getByText('Options of othello7').click()
  await page.getByLabel('population').fill('4')
  await page.getByText('Fitness games').click()
  await page.getByLabel('Genomes play as').fill('minimax depth=1')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  await page.getByText('8 players, 56 games').waitFor()
  await page.getByRole('button', { name: 'Start tournament' }).click()
  await page.getByRole('heading', { name: 'Tournament · Othello' }).waitFor()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  const scores = page.getByRole('region', { name: 'Scores' })
  await expect.poll(async () => (await scores.locator('thead th').allTextContents()).join(' ')).toBe(
    'Black \\ White CPUa CPUb CPUc CPUd CPUe CPUf CPUg CPUh',
  )
  await expect.poll(async () => (await scores.locator('td').allTextContents()).filter((cell) => /^\s*\d+\/\d+\s*$/.test(cell)).length).toBe(56)
  await page.getByText('CPUa, CPUb, CPUc, CPUd').waitFor()
  await page.getByRole('button', { name: 'Replay game 1', exact: true }).click()
  await page.getByRole('group', { name: 'Othello board' }).waitFor()
  await page.context().close()
})

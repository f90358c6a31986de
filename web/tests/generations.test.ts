/** The results of learning runs: long curves, comparison, games side by side, networks against each other, what they say. */

import axe from 'axe-core'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it, vi } from 'vitest'
import { square, useHarness } from './harness'

const harness = useHarness()
/** Set SHOTS to a folder to save screenshots. */
const SHOTS = process.env.SHOTS
const PHONE = { viewport: { width: 375, height: 760 }, hasTouch: true, isMobile: true }

/** Runs a small learning run to its end. */
async function learn(request: object): Promise<string> {
  const response = await fetch(`${harness.address}api/learning-runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game: 'tictactoe', quick: true, generations: 3, games: 16, sims: 8, ...request }),
  })
  const { id } = (await response.json()) as { id: string }
  const status = async () => {
    const view = (await (await fetch(`${harness.address}api/jobs/${id}`)).json()) as { summary: { status: string } }
    return view.summary.status
  }
  await vi.waitUntil(async () => (await status()) === 'finished', { timeout: 90_000, interval: 200 })
  return id
}

/** A copy of a run whose history has this many generations, in the program's own format. */
function lengthen(id: string, copy: string, generations: number) {
  const folder = join(harness.folder, 'jobs', copy)
  cpSync(join(harness.folder, 'jobs', id), folder, { recursive: true })
  const path = join(folder, 'result.json')
  const history = JSON.parse(readFileSync(path, 'utf8')) as { best: number; generations: object[] }
  const [stats] = history.generations
  history.best = 2
  history.generations = Array.from({ length: generations }, (_, index) => {
    const n = index + 1
    const wave = Math.sin(n * 1.7)
    return {
      ...stats,
      generation: n,
      player: `generation ${index}`,
      seconds: 60 + 10 * wave,
      elo: 1400 * (1 - Math.exp(-n / 40)) + 25 * wave,
      elo_error: 35 + 60 / n,
      held_out: { value: 0.6 - 0.25 * (1 - Math.exp(-n / 30)) + Math.max(0, n - 120) / 900 + 0.01 * wave, value_error: 0.4, policy: 1 + Math.exp(-n / 50) },
      training: { value: 0.6 - 0.3 * (1 - Math.exp(-n / 40)) - n / 2000, value_error: 0.4, policy: 0.9 + Math.exp(-n / 45) },
    }
  })
  writeFileSync(path, JSON.stringify(history))
}

let run = ''
let other = ''
const LONG = 'learn-200'

beforeAll(async () => {
  if (SHOTS) mkdirSync(SHOTS, { recursive: true })
  run = await learn({ seed: 3 })
  other = await learn({ seed: 4, games: 24 })
  lengthen(run, LONG, 200)
}, 240_000)

const openRun = (id: string, options = {}) => harness.open(`lab/job/${id}`, options)

async function shoot(page: Page, name: string) {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/generations-${name}.png`, fullPage: true })
}

async function checkPage(page: Page) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(width, 'the page is too wide').toBe(0)
  await page.evaluate(axe.source)
  const result = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
  const serious = result.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`)).toEqual([])
}

const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const slider = (where: Locator | Page, name: string | RegExp) => where.getByRole('slider', { name })
const valueText = (where: Locator) => where.getAttribute('aria-valuetext')

it('200 generations can be read: by pointing, by keyboard, in a table, and the last ones alone', async () => {
  const page = await openRun(LONG)
  const curves = section(page, 'Curves')
  const elo = curves.getByRole('img', { name: /^Elo by generation: Elo 1\d+ ± 35/ })
  await elo.waitFor()
  await page.getByText(/^Overfitting: /).waitFor()
  const read = slider(curves, 'Read the curves at generation')
  await expect.poll(() => valueText(read)).toMatch(/^Generation 200: Elo \d+ ± 35, value loss [\d.]+ \(training [\d.]+\), policy loss/)
  await read.focus()
  await page.keyboard.press('Home')
  await expect.poll(() => valueText(read)).toMatch(/^Generation 1: Elo \d+ ± 95/)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => valueText(read)).toMatch(/^Generation 2: /)
  // All charts show the values of that generation.
  const legend = curves.locator('figure', { hasText: 'Value loss' }).getByRole('button', { name: /^held-out games/ })
  const second = await legend.textContent()
  await elo.hover()
  await expect.poll(() => valueText(read)).toMatch(/^Generation (9\d|10\d|11\d): /)
  await expect.poll(() => legend.textContent()).not.toBe(second)

  const table = curves.locator('figure', { hasText: 'Elo by generation' })
  await table.getByText('Table').click()
  await expect.poll(() => table.locator('tbody tr').count()).toBe(200)
  await table.getByText('Table').click()
  await curves.getByLabel('Generations shown').selectOption('Last 20')
  await read.focus()
  await page.keyboard.press('Home')
  await expect.poll(() => valueText(read)).toMatch(/^Generation 181: /)
  await curves.getByLabel('Generations shown').selectOption('All')
  await page.getByRole('heading', { name: 'What a network sees and says' }).waitFor()
  await shoot(page, 'long')
  await checkPage(page)
  await page.context().close()
})

it('runs are compared in one plot, over generations, games and time', async () => {
  const page = await openRun(run)
  const compare = section(page, 'Comparison with other runs')
  await compare.getByLabel(new RegExp(`^${other} `)).check()
  const plot = (name: string) => compare.getByRole('img', { name: new RegExp(`^${name}: ${run} .*, ${other} `) })
  await plot('Elo · generation').waitFor()
  await compare.getByText('games', { exact: true }).click()
  await plot('Elo · games').waitFor()
  const read = slider(compare, 'Read the curves at: games')
  await expect.poll(() => valueText(read)).toMatch(new RegExp(`^Games 72: ${run} .+, ${other} `))
  await compare.getByText('Table').click()
  await expect.poll(() => compare.locator('tbody tr').count()).toBe(5)
  await compare.getByText('Value loss', { exact: true }).click()
  await compare.getByText('time', { exact: true }).click()
  await plot('Value loss · seconds').waitFor()
  await compare.getByLabel(new RegExp(`^${LONG} `)).check()
  await plot('Value loss · hours').waitFor()
  await compare.getByText('generations', { exact: true }).click()
  await compare.getByText('Elo', { exact: true }).first().click()
  await shoot(page, 'compare')
  await checkPage(page)
  await page.context().close()
})

it('games of two generations are replayed side by side, with what the networks say', async () => {
  const page = await openRun(run)
  const side = section(page, 'Games of two generations, side by side')
  const boards = [1, 3].map((generation) => side.getByRole('group', { name: `Tic-tac-toe board, generation ${generation}` }))
  for (const board of boards) await board.waitFor()
  await side.getByText('Played by generation 0.').waitFor()
  await side.getByText('Start position').first().waitFor()
  await side.getByText(/^Generation 3: [+-]?\d\.\d\d for X$/).waitFor()
  const pieces = (board: Locator | undefined) => board?.locator('.piece').count()
  const step = slider(side, 'Move of both games')
  await side.getByRole('button', { name: 'One step forward' }).click()
  for (const board of boards) await expect.poll(() => pieces(board)).toBe(1)
  await step.focus()
  await page.keyboard.press('ArrowRight')
  for (const board of boards) await expect.poll(() => pieces(board)).toBe(2)
  expect(await valueText(step)).toMatch(/^Move 2 of \d/)

  // What a network sees: ownership where it has that head, its planes and the worth of the pieces.
  await side.getByText('What generation 3 sees and says').click()
  await side.getByRole('heading', { name: 'The moves it prefers' }).waitFor()
  await expect.poll(() => boards[1]?.locator('.shade').count()).toBeGreaterThan(0)
  await side.getByLabel('Show what the networks say').uncheck()
  await side.getByText(/^Generation 3: /).waitFor({ state: 'detached' })
  await side.getByLabel('Show what the networks say').check()
  await shoot(page, 'side')

  await side.getByLabel('First generation').selectOption('2')
  await side.getByText('Played by generation 1.').waitFor()
  await side.getByRole('button', { name: 'Play step by step' }).click()
  await expect.poll(() => valueText(step), { timeout: 20_000 }).toMatch(/^Move (\d) of \1$/)
  await side.getByText(/wins|Draw/).first().waitFor()

  // A position of the replay is explored further.
  await page.keyboard.press('Tab')
  await step.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await side.getByRole('button', { name: 'Try other moves here' }).last().click()
  const network = section(page, 'What a network sees and says')
  await expect.poll(() => network.locator('.piece').count()).toBe(1)
  await page.context().close()
})

it('two generations play each other', async () => {
  const page = await openRun(run)
  const duel = section(page, 'Generation against generation')
  await duel.getByLabel('Generation that plays X').selectOption('1')
  await duel.getByLabel('Generation that plays O').selectOption('3')
  await duel.getByRole('button', { name: 'Swap the sides' }).click()
  expect(await duel.getByLabel('Generation that plays X').inputValue()).toBe('3')
  await duel.getByLabel('Simulations per move').fill('20')
  await duel.getByRole('button', { name: 'Play a game' }).click()
  await duel.getByText(/wins|Draw/).waitFor({ timeout: 30_000 })
  const step = slider(duel, 'Move of the game')
  await step.focus()
  await page.keyboard.press('Home')
  await duel.getByText('Start position').waitFor()
  await duel.getByText(/^Generation 3: /).waitFor()
  await page.keyboard.press('ArrowRight')
  await duel.getByText(/^Generation 1: /).waitFor()
  await shoot(page, 'duel')
  await checkPage(page)
  await duel.getByRole('link', { name: 'Open the game' }).click()
  await page.getByRole('group', { name: 'Tic-tac-toe board' }).waitFor()

  await page.goto(`${harness.address}#/lab/job/${run}`)
  await duel.getByRole('button', { name: 'Match of 20 games' }).click()
  await page.getByRole('heading', { name: 'Match · Tic-tac-toe' }).waitFor()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  await page.context().close()
}, 180_000)

it('a network says what it sees in any position', async () => {
  const page = await openRun(run)
  const network = section(page, 'What a network sees and says')
  const policy = network.getByRole('list', { name: 'The moves it prefers' })
  await expect.poll(() => policy.getByRole('listitem').count()).toBe(9)
  await square(page, 'b2').and(network.locator('[data-square]')).click()
  await expect.poll(() => policy.getByRole('listitem').count()).toBe(8)
  await network.getByText(/[+-]?\d\.\d\d for O/).waitFor()
  const before = await network.locator('.total').textContent()
  await network.getByLabel('Generation').selectOption('0')
  await expect.poll(() => network.locator('.total').textContent()).not.toBe(before)
  await policy.getByRole('button', { name: /^Play / }).first().click()
  await expect.poll(() => policy.getByRole('listitem').count()).toBe(7)
  await network.getByText('What the network sees').click()
  await network.locator('.planes li').first().waitFor()
  await network.getByRole('button', { name: 'Undo' }).click()
  await network.getByRole('button', { name: 'Start position' }).click()
  await expect.poll(() => policy.getByRole('listitem').count()).toBe(9)
  await shoot(page, 'network')
  await page.context().close()
})

it('a phone shows all of it, in Spanish and dark', async () => {
  const page = await openRun(LONG, { ...PHONE, locale: 'es-ES', colorScheme: 'dark' })
  const compare = section(page, 'Comparación con otros aprendizajes')
  await compare.getByLabel(new RegExp(`^${run} `)).check()
  await compare.getByRole('img', { name: /^Elo · generación/ }).waitFor()
  const side = section(page, 'Partidas de dos generaciones, lado a lado')
  await side.getByRole('button', { name: 'Un paso adelante' }).click()
  await side.getByText(/^Generación \d+: .+ para /).first().waitFor()
  await section(page, 'Lo que ve y dice una red').getByRole('list').first().waitFor()
  await shoot(page, 'phone-dark')
  await checkPage(page)
  await page.context().close()
  if (!SHOTS) return
  const more = { 'phone-light': { ...PHONE }, dark: { colorScheme: 'dark' } }
  for (const [name, options] of Object.entries(more)) {
    const page = await openRun(LONG, options)
    await section(page, 'What a network sees and says').getByRole('list').first().waitFor()
    await page.waitForTimeout(500)
    await shoot(page, name)
    await page.context().close()
  }
})

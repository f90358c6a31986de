/** All pages: accessibility, languages, small screens, light and dark theme. */

import axe from 'axe-core'
import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { newGame, openTab, reviewGame, scholarsMate, useHarness } from './harness'

const harness = useHarness()
/** Set SHOTS to a folder to save a screenshot of every page. */
const SHOTS = process.env.SHOTS
const ROUTES: Record<string, string> = {
  home: '', new: 'new?game=shobu', library: 'library', lab: 'lab', arena: 'lab/arena', evolution: 'lab/evolution', learning: 'lab/learning', think: 'lab/think?game=tictactoe', setup: 'setup/chess',
  experiments: 'lab/experiments', players: 'lab/players', results: 'library/results', archive: 'library/archive', puzzles: 'training/puzzles?game=chess',
  openings: 'training/openings?game=othello', progress: 'training/progress?game=othello',
  help: 'help/shobu', about: 'about', lessons: 'lessons', lesson: 'lessons/othello',
}

beforeAll(async () => {
  const page = await harness.open()
  await scholarsMate(page)
  await reviewGame(page)
  await page.getByRole('img', { name: /Win chance/ }).waitFor({ timeout: 60_000 })
  ROUTES.chess = new URL(page.url()).hash.slice(2)
  await newGame(page, { game: 'Othello', who: 'Against the computer', opponent: 'level 1' })
  for (const _ of [1, 2, 3, 4, 5, 6]) await page.getByRole('button', { name: /legal move/ }).last().click()
  await page.getByRole('button', { name: /legal move/ }).first().waitFor()
  ROUTES.othello = new URL(page.url()).hash.slice(2)
  await newGame(page, { game: 'Shōbu', who: 'Against the computer', opponent: 'level 1' })
  ROUTES.shobu = new URL(page.url()).hash.slice(2)
  await page.goto(`${harness.address}#/lab/arena`)
  await page.getByLabel('Games per pairing').fill('4')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  ROUTES.job = new URL(page.url()).hash.slice(2)
  await page.goto(`${harness.address}#/lab/evolution`)
  await page.getByLabel('Generations', { exact: true }).fill('12')
  await page.getByText('Fitness games').click()
  await page.getByLabel('Genomes play as').fill('minimax depth=1')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  ROUTES.evolved = new URL(page.url()).hash.slice(2)
  await page.getByRole('button', { name: 'Start tournament' }).click()
  await page.getByRole('heading', { name: 'Tournament · Othello' }).waitFor()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  ROUTES.generations = new URL(page.url()).hash.slice(2)
  await page.goto(`${harness.address}#/lab/learning`)
  await page.getByText('Network and parameters').click()
  await page.getByLabel('Generations').fill('2')
  await page.getByLabel('Games per generation').fill('4')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 90_000 })
  ROUTES.learned = new URL(page.url()).hash.slice(2)
  await page.context().close()
}, 240_000)

async function visit(page: Page, route: string) {
  await page.goto(`${harness.address}#/${route}`)
  await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
  await page.waitForTimeout(350)
}

async function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** The serious violations that axe finds. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const result = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
  return result.violations
    .filter((violation) => violation.impact === 'serious' || violation.impact === 'critical')
    .map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`)
}

/** Both themes and both sizes are tested; the other two combinations are only for screenshots. */
const VARIANTS = [
  { colorScheme: 'light', width: 1360, height: 850, checked: true },
  { colorScheme: 'dark', width: 375, height: 760, checked: true },
  { colorScheme: 'dark', width: 1360, height: 850, checked: false },
  { colorScheme: 'light', width: 375, height: 760, checked: false },
] as const

it.each(VARIANTS.filter((variant) => variant.checked || SHOTS))('all pages in the $colorScheme theme at $width pixels', async ({ colorScheme, width, height, checked }) => {
  const page = await harness.open('', { colorScheme, viewport: { width, height } })
  if (SHOTS) mkdirSync(SHOTS, { recursive: true })
  for (const [name, route] of Object.entries(ROUTES)) {
    await visit(page, route)
    if (name === 'othello' || name === 'chess') {
      await openTab(page, 'Analysis')
      await page.waitForTimeout(600)
    }
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: width < 400 })
    expect(await horizontalOverflow(page), `${name} is too wide`).toBe(0)
    if (checked) expect(await violations(page), name).toEqual([])
  }
  await page.context().close()
}, 240_000)

it('no page overflows horizontally at 320 pixels', async () => {
  const page = await harness.open('', { viewport: { width: 320, height: 640 }, locale: 'es-ES' })
  for (const [name, route] of Object.entries(ROUTES)) {
    await visit(page, route)
    expect(await horizontalOverflow(page), `${name} is too wide`).toBe(0)
  }
  await page.context().close()
})

it('the language follows the browser and can be switched', async () => {
  const page = await harness.open('', { locale: 'es-AR' })
  await page.getByRole('heading', { name: '¿A qué quieres jugar?' }).waitFor()
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'What would you like to play?' }).waitFor()
  expect(await page.getAttribute('html', 'lang')).toBe('en')
  await page.reload()
  await page.getByRole('heading', { name: 'What would you like to play?' }).waitFor()
  await page.context().close()
})

it('errors follow the language', async () => {
  const query = new URLSearchParams({ game: 'tictactoe', player: 'minimax x=1', position: 'z' })
  const page = await harness.open(`new?${query.toString().replaceAll('+', '%20')}`, { locale: 'es-ES' })
  await page.getByText(/^`minimax` no tiene la opción `x`; hay /).waitFor()
  const position = page.locator('#position-problem')
  await expect.poll(() => position.textContent()).toMatch(/^posición: línea 1, columna \d+: se encontró `z`, se esperaba quién juega/)
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByText(/^`minimax` has no option `x`; available: /).waitFor()
  await expect.poll(() => position.textContent()).toMatch(/^position: line 1, column \d+: found `z`, expected /)
  await page.context().close()
})

it('settings are saved', async () => {
  const page = await harness.open()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByText('Dark', { exact: true }).click()
  await page.reload()
  expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
  await page.context().close()
})

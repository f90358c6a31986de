/** Every page for everyone: accessible, in both languages, on small screens, by day and by night. */

import axe from 'axe-core'
import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { newGame, scholarsMate, useWorld } from './world'

const world = useWorld()
/** Set SHOTS to a folder to keep a picture of every page. */
const SHOTS = process.env.SHOTS
const PLACES: Record<string, string> = {
  home: '', new: 'new?game=shobu', library: 'library', lab: 'lab', arena: 'lab/arena', evolution: 'lab/evolution', learning: 'lab/learning', setup: 'setup/chess',
  help: 'help/shobu', about: 'about',
}

beforeAll(async () => {
  const page = await world.open()
  await scholarsMate(page)
  await page.getByRole('button', { name: 'Review the game' }).click()
  await page.getByRole('img', { name: /Win chance/ }).waitFor({ timeout: 60_000 })
  PLACES.chess = new URL(page.url()).hash.slice(2)
  await newGame(page, { game: 'Othello', who: 'Against the machine', opponent: 'level 1' })
  for (const _ of [1, 2, 3, 4, 5, 6]) await page.getByRole('button', { name: /legal move/ }).last().click()
  await page.getByRole('button', { name: /legal move/ }).first().waitFor()
  PLACES.othello = new URL(page.url()).hash.slice(2)
  await newGame(page, { game: 'Shōbu', who: 'Against the machine', opponent: 'level 1' })
  PLACES.shobu = new URL(page.url()).hash.slice(2)
  await page.goto(`${world.address}#/lab/arena`)
  await page.getByLabel('Games between each two').fill('4')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  PLACES.job = new URL(page.url()).hash.slice(2)
  await page.goto(`${world.address}#/lab/evolution`)
  await page.getByLabel('Generations', { exact: true }).fill('12')
  await page.getByText('How they play').click()
  await page.getByLabel('Genomes play as').fill('minimax depth=1')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  PLACES.evolved = new URL(page.url()).hash.slice(2)
  await page.getByRole('button', { name: 'Let them play' }).click()
  await page.getByRole('heading', { name: 'Tournament · Othello' }).waitFor()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  PLACES.generations = new URL(page.url()).hash.slice(2)
  await page.goto(`${world.address}#/lab/learning`)
  await page.getByText('Network, numbers, rules').click()
  await page.getByLabel('Generations').fill('2')
  await page.getByLabel('Games of a generation').fill('4')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 90_000 })
  PLACES.learned = new URL(page.url()).hash.slice(2)
  await page.context().close()
}, 240_000)

async function visit(page: Page, place: string) {
  await page.goto(`${world.address}#/${place}`)
  await page.locator('main :is(h1, h2)').first().waitFor({ state: 'attached' })
  await page.waitForTimeout(350)
}

async function sidewaysScroll(page: Page): Promise<number> {
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

/** Both colours and both sizes are checked; the other two pairs are only for the pictures. */
const LOOKS = [
  { colorScheme: 'light', width: 1360, height: 850, checked: true },
  { colorScheme: 'dark', width: 375, height: 760, checked: true },
  { colorScheme: 'dark', width: 1360, height: 850, checked: false },
  { colorScheme: 'light', width: 375, height: 760, checked: false },
] as const

it.each(LOOKS.filter((look) => look.checked || SHOTS))('all pages in $colorScheme colours at $width pixels', async ({ colorScheme, width, height, checked }) => {
  const page = await world.open('', { colorScheme, viewport: { width, height } })
  if (SHOTS) mkdirSync(SHOTS, { recursive: true })
  for (const [name, place] of Object.entries(PLACES)) {
    await visit(page, place)
    if (name === 'othello' || name === 'chess') {
      await page.getByRole('button', { name: 'Analysis', exact: true }).click()
      await page.waitForTimeout(600)
    }
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: width < 400 })
    expect(await sidewaysScroll(page), `${name} is too wide`).toBe(0)
    if (checked) expect(await violations(page), name).toEqual([])
  }
  await page.context().close()
}, 240_000)

it('no page scrolls sideways at 320 pixels', async () => {
  const page = await world.open('', { viewport: { width: 320, height: 640 }, locale: 'es-ES' })
  for (const [name, place] of Object.entries(PLACES)) {
    await visit(page, place)
    expect(await sidewaysScroll(page), `${name} is too wide`).toBe(0)
  }
  await page.context().close()
})

it('the language follows the browser and can be switched', async () => {
  const page = await world.open('', { locale: 'es-AR' })
  await page.getByRole('heading', { name: '¿A qué jugamos?' }).waitFor()
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'What shall we play?' }).waitFor()
  expect(await page.getAttribute('html', 'lang')).toBe('en')
  await page.reload()
  await page.getByRole('heading', { name: 'What shall we play?' }).waitFor()
  await page.context().close()
})

it('errors are told in the language that was chosen, and again when another is', async () => {
  const query = new URLSearchParams({ game: 'tictactoe', player: 'minimax x=1', position: 'z' })
  const page = await world.open(`new?${query.toString().replaceAll('+', '%20')}`, { locale: 'es-ES' })
  await page.getByText(/^jugador `minimax x=1`: `minimax` no tiene la opción `x`; tiene /).waitFor()
  const position = page.locator('#position-problem')
  await expect.poll(() => position.textContent()).toMatch(/^posición: línea 1, columna \d+: hay `z`, se esperaba quién juega/)
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByText(/^`minimax` has no option `x`; it has /).waitFor()
  await expect.poll(() => position.textContent()).toMatch(/^position: line 1, column \d+: found `z`, expected /)
  await page.context().close()
})

it('settings are kept', async () => {
  const page = await world.open()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByText('Dark', { exact: true }).click()
  await page.reload()
  expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
  await page.context().close()
})

/** Evaluations explained, players compared along a game, experiments of one's own. */

import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { clickSquares, lastMove, newGame, scholarsMate, useHarness } from './harness'

const harness = useHarness()
const SHOTS = process.env.SHOTS

/** The page on the screen, kept if SHOTS is a folder. */
async function shoot(page: Page, name: string) {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/explain-${name}.png`, fullPage: true })
}

const panel = (page: Page) => page.getByRole('region', { name: 'The evaluation, term by term' })
const shades = (page: Page) => page.locator('.shade').count()

async function explain(page: Page, evaluation: string) {
  await page.getByRole('tab', { name: 'Evaluation', exact: true }).click()
  await panel(page).getByRole('combobox', { name: 'Evaluation' }).selectOption({ label: evaluation })
}

it('an evaluation is explained term by term, on the board too', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Othello' })
  await clickSquares(page, 'f5')
  await lastMove(page, 'f5')
  await explain(page, 'sci')
  // One disc against four: x3 is -3.
  await panel(page).getByText('-3.00 for White').waitFor()
  const terms = panel(page).locator('tbody tr')
  await expect.poll(() => terms.count()).toBe(3)
  await terms.first().getByRole('button', { name: /x3 discs/ }).click()
  await expect.poll(() => shades(page)).toBe(5)
  await shoot(page, 'othello')
  await clickSquares(page, 'd6')
  await panel(page).getByText('0.00 for Black').waitFor()

  await explain(page, 'patterns')
  await panel(page).getByRole('button', { name: /more terms/ }).waitFor()
  await panel(page).getByText(/weights of phase/).waitFor()
  await shoot(page, 'patterns')
  await explain(page, 'Of a player')
  const line = panel(page).getByLabel('Player line')
  await line.fill('alphabeta depth=3 eval=jma')
  await line.press('Enter')
  await panel(page).getByRole('button', { name: /x10 liberties/ }).waitFor()
  await page.getByRole('tab', { name: 'Moves', exact: true }).click()
  await expect.poll(() => shades(page)).toBe(0)
  await page.context().close()
})

it('a network shows its policy, its planes and what the pieces are worth', async () => {
  const page = await harness.open('', { locale: 'es-ES', colorScheme: 'dark' })
  await page.goto(`${harness.address}#/new?game=chess`)
  await page.getByText('Dos jugadores', { exact: true }).click()
  await page.getByRole('button', { name: 'Empezar' }).click()
  await page.getByRole('tab', { name: 'Evaluación', exact: true }).click()
  const panel = page.getByRole('region', { name: 'La evaluación, término a término' })
  await panel.getByRole('combobox', { name: 'Evaluación' }).selectOption({ label: 'chess-4x32' })
  await panel.getByRole('heading', { name: 'Las jugadas que prefiere' }).waitFor()
  await panel.getByRole('button', { name: /dama blanca d1/ }).waitFor()
  await expect.poll(() => page.locator('polygon.best').count()).toBe(1)
  await panel.getByText('Lo que ve la red').click()
  await panel.getByText('peones (blancas, o quien mueve)', { exact: true }).waitFor()
  await shoot(page, 'network-dark')
  await page.context().close()
})

it('a phone shows the evaluation below the board', async () => {
  const page = await harness.open('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await newGame(page, { game: 'Shōbu' })
  await explain(page, 'pressure')
  await panel(page).getByRole('button', { name: /mobility/ }).waitFor()
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)
  const left = await panel(page).evaluate((element) => element.getBoundingClientRect().left)
  expect(left).toBeGreaterThanOrEqual(0)
  await shoot(page, 'phone')
  await page.context().close()
})

it('two players are compared along a game, on a phone', async () => {
  const page = await harness.open('', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await scholarsMate(page)
  await page.getByRole('tab', { name: 'Review', exact: true }).click()
  await page.getByText('Two players along the game').click()
  const compare = page.getByRole('region', { name: 'Two players along the game' })
  await compare.getByText('Choose a second player to compare with.').waitFor()
  await compare.getByLabel('Compare with').selectOption('?')
  const line = compare.getByLabel('Player line')
  await line.fill('greedy eval=material')
  await line.press('Enter')
  await compare.getByRole('button', { name: 'Compare', exact: true }).click()
  await compare.getByText(/The same move in \d+ of 7 positions/).waitFor({ timeout: 60_000 })
  const first = compare.locator('tbody tr').first()
  await first.getByRole('button', { name: /Go to move/ }).click()
  await expect.poll(() => first.getAttribute('class')).toContain('here')
  await shoot(page, 'compare')
  await page.context().close()
})

it('an experiment of one’s own is made from a template, run and read', async () => {
  const page = await harness.open('lab/experiments')
  await page.getByText('Tic-tac-toe', { exact: true }).first().click()
  await page.getByLabel('Template').selectOption('match')
  const plan = page.getByLabel('Plan (TOML)')
  await expect.poll(() => plan.inputValue()).toMatch(/game = "tictactoe"[^]*id = "match"/)
  await plan.fill((await plan.inputValue()).replace('id = "match"', 'id = "../match"'))
  await page.getByRole('button', { name: 'Start' }).click()
  harness.expectedErrors.push(/status of 400/)
  await page.getByText(/invalid plan/).waitFor()
  await page.getByRole('button', { name: 'Undo my changes' }).click()
  await page.getByLabel('Name', { exact: true }).fill('mine')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 60_000 })
  await page.getByRole('heading', { name: 'Old against new' }).first().waitFor()
  await page.getByText(/Holm/).waitFor()
  await shoot(page, 'report')
  await page.goto(`${harness.address}#/lab/experiments`)
  await page.getByRole('region', { name: 'Your experiments' }).getByText('mine', { exact: false }).first().waitFor()
  await shoot(page, 'experiments')
  await page.context().close()
})

/** Whole games by click, drag and keyboard. */

import { expect, it } from 'vitest'
import { clickSquares, lastMove, newGame, scholarsMate, square, status, useHarness } from './harness'

const harness = useHarness()

it('Othello against the computer, to the end', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Othello', who: 'Against the computer', opponent: 'level 1' })
  const legal = page.getByRole('button', { name: /legal move/ })
  const pass = page.locator('.status').getByRole('button', { name: 'Pass' })
  const result = status(page, /wins, \d+–\d+|Draw/)
  const turn = page.locator('.player.turn')

  await legal.first().click()
  await expect.poll(() => page.locator('.moves .move').count()).toBe(2)
  await legal.first().waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => page.locator('.move.current').count()).toBe(0)
  await page.getByRole('button', { name: 'Redo' }).click()
  await page.locator('.move.current').waitFor()

  for (let turns = 0; turns < 70 && !(await result.first().isVisible()); turns++) {
    await legal.or(pass).or(result).first().waitFor()
    if (await result.first().isVisible()) break
    const before = await page.locator('.moves .move').count()
    // A pass is played by itself.
    if (!(await pass.isVisible())) await legal.first().click()
    await expect.poll(() => page.locator('.moves .move').count()).toBeGreaterThan(before)
  }
  await result.first().waitFor()
  expect(await turn.count()).toBe(0)
  const discs = await page.getByLabel('Discs').allTextContents()
  expect(discs.map(Number).reduce((a, b) => a + b)).toBeGreaterThan(10)
  await page.context().close()
})

it('chess between two players: mate, undo, redo, drag, promotion', async () => {
  const page = await harness.open()
  await scholarsMate(page)
  expect(await page.getByTestId('announcements').textContent()).toContain('White wins')
  await page.getByRole('button', { name: 'Undo' }).click()
  await status(page, 'White to move').waitFor()
  await page.getByRole('button', { name: 'Redo' }).click()
  await status(page, 'White wins, checkmate').waitFor()

  await newGame(page, { game: 'Chess' })
  const from = await square(page, 'e2').boundingBox()
  const to = await square(page, 'e4').boundingBox()
  if (!from || !to) throw new Error('no squares')
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 5 })
  await page.mouse.up()
  await lastMove(page, 'e4')

  await page.goto(`${harness.address}#/new?game=chess&position=${encodeURIComponent('8/P6k/8/8/8/8/8/K7 w - - 0 1')}`)
  await page.getByText('Two players', { exact: true }).click()
  await page.getByRole('button', { name: 'Start' }).click()
  await clickSquares(page, 'a7', 'a8')
  await page.getByRole('button', { name: 'white knight', exact: true }).click()
  await lastMove(page, 'a8=N')
  await page.context().close()
})

it('Shōbu between two players, four clicks per turn', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Shōbu' })
  const step = page.locator('.steps [aria-current="step"]')
  await clickSquares(page, 'g1')
  expect(await step.textContent()).toContain('Where to')
  await clickSquares(page, 'g2', 'b5')
  expect(await step.textContent()).toContain('4.')
  await page.getByRole('button', { name: 'Step back' }).click()
  await page.getByRole('button', { name: 'Step back' }).click()
  await page.getByRole('button', { name: 'Step back' }).click()
  expect(await step.textContent()).toContain('Passive stone')

  const turns: [string, string][] = [
    ['g1 g2 b5 b6', 'g1b5N'], ['a8 a6 g4 g2', 'a8g4S2'], ['f1 f3 b6 b8', 'f1b6N2'], ['c8 c7 g2 g1', 'c8g2S'],
    ['f3 h3 b8 d8', 'f3b8E2'], ['c7 a7 g1 e1', 'c7g1W2'], ['h1 f3 c5 a7', 'h1c5NW2'], ['g8 g7 a6 a5', 'g8a6S'],
    ['f3 f1 a7 a5', 'f3a7S2'],
  ]
  for (const [squares, label] of turns) {
    await clickSquares(page, ...squares.split(' '))
    await lastMove(page, label)
  }
  await status(page, 'Black wins').waitFor()
  await page.context().close()
})

it('tic-tac-toe with the keyboard alone', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Tic-tac-toe' })
  await square(page, 'a1').focus()
  for (const [key, label] of [['Enter', 'a1'], ['ArrowRight', ''], ['Enter', 'b1'], ['ArrowDown', ''], ['Enter', 'b2']]) {
    await page.keyboard.press(key ?? '')
    if (label) await lastMove(page, label)
  }
  expect(await square(page, 'a1').getAttribute('aria-label')).toBe('a1, X')
  await page.keyboard.press('Shift+?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('u')
  await page.locator('.move.current', { hasText: 'b1' }).waitFor()
  await page.context().close()
})

it('engines play each other, paused and step by step', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Tic-tac-toe', who: 'Computer vs computer' })
  await page.getByRole('button', { name: 'Pause' }).click()
  const moves = page.locator('.moves .move')
  await page.getByRole('button', { name: 'Step', exact: true }).waitFor()
  const before = await moves.count()
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await expect.poll(() => moves.count()).toBeGreaterThan(before)
  await page.getByRole('button', { name: 'Resume' }).click()
  await status(page, /wins|Draw/).waitFor()
  await page.context().close()
})

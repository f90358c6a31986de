/** How the page feels: tabs, analysis, pace, end of a game, levels, pieces and boards. */

import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import type { GameView } from '../src/api/types'
import { clickSquares, lastMove, openTab, square, status, useHarness } from './harness'

const harness = useHarness()

/** Opens a game that is made by a request. */
async function openNew(request: unknown, options = {}): Promise<Page> {
  const response = await fetch(`${harness.address}api/games`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  const { id } = (await response.json()) as GameView
  const page = await harness.open(`game/${id}`, options)
  await page.locator('.board svg').waitFor()
  return page
}

const human = (name = '') => ({ name, player: 'human' })
const level = (n: number) => ({ name: '', player: `level ${n}` })

it('analysis does not resize the board, and every move of a line can be played', async () => {
  const page = await openNew({ game: 'chess', position: 'start moves e4 e5' })
  const size = () => page.locator('.board svg').boundingBox()
  const before = await size()
  await openTab(page, 'Analysis')
  await page.getByRole('meter').waitFor()
  await page.locator('.lines .ply').nth(2).waitFor()
  expect(await size()).toEqual(before)
  // The arrows are numbered; pointing at a line shows its arrow alone, and the board after it.
  await expect.poll(() => page.locator('svg .badge').count()).toBeGreaterThan(1)
  await page.locator('.lines .ply').nth(2).hover()
  await page.locator('.preview svg').waitFor()
  await expect.poll(() => page.locator('svg .badge').count()).toBe(1)
  expect(await size()).toEqual(before)
  await page.locator('.lines .ply').nth(2).click()
  await openTab(page, 'Moves')
  await expect.poll(() => page.locator('.moves .move').count()).toBe(5)
  await page.context().close()
})

it('on a phone the best line is under the board, and coordinates are inside the squares', async () => {
  const page = await openNew({ game: 'othello' }, { viewport: { width: 375, height: 760 } })
  expect(await page.locator('svg .inner').count()).toBe(16)
  const size = () => page.locator('.board svg').evaluate((board) => [board.clientWidth, board.clientHeight])
  const before = await size()
  await openTab(page, 'Analysis')
  await page.locator('.table .line', { hasText: /[a-h][1-8]/ }).waitFor()
  expect(await size()).toEqual(before)
  await page.context().close()
})

it('the computer answers at a human pace', async () => {
  const page = await harness.open('new?game=tictactoe')
  await page.getByText('Against the computer', { exact: true }).click()
  await page.getByLabel('Opponent').selectOption('level 1')
  await page.getByRole('button', { name: 'Start' }).click()
  await clickSquares(page, 'b2')
  await lastMove(page, 'b2')
  const start = Date.now()
  await expect.poll(() => page.locator('.moves .move').count(), { interval: 20 }).toBe(2)
  expect(Date.now() - start).toBeGreaterThan(300)
  await page.context().close()
})

it('the end of a game says who won and why, and offers a rematch with sides swapped', async () => {
  const page = await openNew({ game: 'tictactoe', position: 'start moves a1 b1 a2 b2', players: [human('Ana'), level(1)] })
  await clickSquares(page, 'a3')
  await status(page, 'You won').waitFor()
  await status(page, 'X wins').waitFor()
  await page.getByRole('button', { name: 'Review', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Rematch' }).click()
  // Ana is the second player now, and sits at the bottom.
  await expect.poll(async () => (await page.locator('.player strong').allTextContents()).join()).toBe('Level 1,Ana')
  await expect.poll(() => page.locator('.moves .move').count()).toBe(1)
  await page.context().close()
})

it('levels are named by what they are for people', async () => {
  const page = await harness.open('new?game=othello')
  await page.getByText('Against the computer', { exact: true }).click()
  const picker = page.getByLabel('Opponent')
  await expect.poll(async () => (await picker.locator('option').allTextContents()).join()).toContain('Level 10 – stronger than any person')
  await picker.selectOption('level 3')
  await page.getByText(/Rating: \d+ Elo/).waitFor()
  await page.getByRole('button', { name: 'Start' }).click()
  await page.locator('.player', { hasText: 'casual player' }).waitFor()
  await page.context().close()
})

it('variations collapse', async () => {
  const page = await openNew({ game: 'chess', position: 'start moves e4 e5 Nf3' })
  await page.locator('.moves .move').first().click()
  await clickSquares(page, 'c7', 'c5')
  await page.locator('.variation .move', { hasText: 'c5' }).waitFor()
  await page.locator('.pair .move', { hasText: 'Nf3' }).click()
  await page.getByRole('button', { name: 'Collapse the variation' }).click()
  await page.locator('.variation').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Variation', exact: true }).click()
  await page.locator('.variation .move', { hasText: 'c5' }).waitFor()
  await page.context().close()
})

it('board, pieces and figurines can be chosen, and material is counted', async () => {
  const page = await openNew({ game: 'chess', position: 'start moves e4 d5 exd5 Nf6' })
  await page.locator('.player', { hasText: '+1' }).waitFor()
  const ground = () => page.locator('.board .sheet').first().evaluate((sheet) => getComputedStyle(sheet).fill)
  const before = await ground()
  await page.getByRole('button', { name: 'Settings' }).click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.getByText('Blue', { exact: true }).click()
  await dialog.getByText('Letters', { exact: true }).click()
  await dialog.getByText('Pieces in move lists as pictures').click()
  await page.keyboard.press('Escape')
  expect(await ground()).not.toBe(before)
  await expect.poll(() => page.locator('.board .letter').count()).toBe(31)
  await page.locator('.moves .move', { hasText: '♘f6' }).waitFor()
  await page.reload()
  await page.locator('.moves .move', { hasText: '♘f6' }).waitFor()
  await page.context().close()
})

it('the parts of a Shōbu move are seen one after the other', async () => {
  const page = await openNew({ game: 'shobu', position: 'start moves g1b5N a8g4S2' })
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.waitForTimeout(1200)
  await page.getByRole('button', { name: 'Next' }).click()
  await square(page, 'a6').waitFor()
  const waits = () => page.locator('.board .piece').evaluateAll((all) => all.map((one) => getComputedStyle(one).getPropertyValue('--wait').trim()).filter((wait) => wait !== '0ms'))
  // The passive stone at once, then the aggressive one, then the one that it pushes.
  await expect.poll(waits).toEqual(['300ms', '420ms'])
  await page.context().close()
})

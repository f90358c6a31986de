/** Analysis, review and matches. */

import { expect, it } from 'vitest'
import { clickSquares, newGame, openTab, reviewGame, scholarsMate, status, useHarness } from './harness'

const harness = useHarness()

it('analysis shows scores on the squares of Othello', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Othello' })
  await openTab(page, 'Analysis')
  await expect.poll(() => page.locator('svg .score').count()).toBe(4)
  await page.getByRole('meter').waitFor()
  await page.getByText(/depth \d+/).waitFor()
  await page.getByRole('tabpanel').getByRole('button', { name: 'Stop' }).click()
  await expect.poll(() => page.locator('svg .score').count()).toBe(0)
  await page.context().close()
})

it('a review finds mistakes, which can be retried', async () => {
  const page = await harness.open()
  await scholarsMate(page)
  await reviewGame(page)
  await page.getByRole('img', { name: /Win chance/ }).waitFor({ timeout: 60_000 })
  const blunder = page.getByRole('list', { name: 'Mistakes' }).getByRole('button', { name: /Nf6/ })
  await blunder.click()
  await page.locator('.judgement', { hasText: 'Blunder' }).waitFor()
  await page.getByRole('button', { name: 'Try another move' }).click()
  await status(page, 'Find a better move.').waitFor()
  await page.locator('[data-square="a7"]').click()
  await page.locator('[data-square="a6"]').click()
  await status(page, 'You can do better than a6.').waitFor()
  await page.getByRole('button', { name: 'View the solution' }).click()
  await status(page, /The best move was/).waitFor()
  await page.context().close()
})

it('Othello endgames are solved exactly', async () => {
  const position = 'OOXXXXXXXOXXXXXXOOXOXOOXOOXXOOXXOOXOOOXX-O-OOOOXXOO-O--X-------- X'
  const page = await harness.open(`new?game=othello&position=${encodeURIComponent(position)}`)
  await page.getByText('Two players').click()
  await page.getByRole('button', { name: 'Start' }).click()
  await openTab(page, 'Analysis')
  await page.getByText(/^exact ·/).waitFor({ timeout: 30_000 })
  await page.getByText('+38', { exact: true }).first().waitFor()
  await page.getByRole('tabpanel').getByRole('button', { name: 'Stop' }).click()
  // Others are 6 discs better.
  await clickSquares(page, 'e8')
  await reviewGame(page)
  await page.getByText('All scores are exact from move 1 on.').waitFor({ timeout: 60_000 })
  await page.locator('.judgement', { hasText: 'Mistake' }).getByText('exact', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'View the solution' }).click()
  await page.getByText(/(b8|f8) was best \(\+38\)\./).waitFor()
  await page.context().close()
})

it('a match is played, shown, replayed and deleted', async () => {
  const page = await harness.open('lab/arena')
  await page.getByText('Tic-tac-toe', { exact: true }).click()
  await page.getByLabel('Player 1').selectOption('level 1')
  await page.getByLabel('Player 2').selectOption('level 3')
  await page.getByLabel('Games per pairing').fill('4')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('finished', { exact: true }).waitFor({ timeout: 30_000 })
  await page.getByRole('region', { name: 'Crosstable' }).getByText('Level 3').waitFor()
  await page.getByRole('button', { name: 'Replay game 1', exact: true }).click()
  await page.getByRole('group', { name: 'Tic-tac-toe board' }).waitFor()
  await page.goto(`${harness.address}#/lab`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Really delete?' }).click()
  await page.getByText('No jobs yet').waitFor()
  await page.context().close()
})

/** A game between two browsers on a server that others can reach: links, seats, offers, watchers, reconnection. */

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { clickSquares, lastMove, status, useHarness } from './harness'

const harness = useHarness('--host', '0.0.0.0')
const panel = (page: Page) => page.getByRole('region', { name: 'A friend elsewhere' })

/** The owner starts a game with a friend; the link for the friend, and both pages. */
async function invited(game: string, options: { locale?: string; viewport?: { width: number; height: number } } = {}) {
  const owner = await harness.open(harness.address)
  await owner.goto(owner.url().replace(/#.*|$/, '#/new'))
  await owner.getByText(game, { exact: true }).first().click()
  await owner.getByText('With a friend elsewhere', { exact: true }).click()
  await owner.getByRole('button', { name: 'Start' }).click()
  await panel(owner).getByText(/Waiting for/).waitFor()
  const link = await panel(owner).getByLabel('Link for your friend').first().inputValue()
  const friend = await harness.open(link, options)
  await friend.getByRole('group', { name: /board|Tablero/ }).waitFor()
  return { owner, friend, link }
}

it('two browsers play a game by link', async () => {
  const { owner, friend, link } = await invited('Tic-tac-toe')
  expect(link).toMatch(/\/join\/\w+\/\w{32}$/)
  expect(friend.url(), 'the secret does not stay in the address').not.toContain('join')
  await panel(owner).getByText('O: connected').waitFor()
  await panel(friend).getByText('You play O.').waitFor()
  expect(await owner.getByText(/Waiting for/).count()).toBe(0)

  // A guest has the game, and nothing else.
  expect(await friend.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
  expect(await friend.getByRole('tab', { name: 'Analysis' }).count()).toBe(0)
  harness.expectedErrors.push(/status of 403/)
  await friend.goto(friend.url().replace(/#.*/, '#/library'))
  await friend.getByRole('heading', { name: 'You are invited to a game' }).waitFor()
  await friend.goBack()

  // It is not the friend's turn.
  await clickSquares(friend, 'b2')
  await clickSquares(owner, 'a1')
  await lastMove(friend, 'a1')
  await lastMove(friend, 'b2')
  expect(await owner.locator('.moves .move').count(), 'the premove was played').toBe(2)

  await panel(owner).getByRole('button', { name: 'Ask to take back' }).click()
  await friend.getByRole('alert').getByRole('button', { name: 'Accept' }).click()
  await expect.poll(() => owner.locator('.moves .move').count()).toBe(0)
  await clickSquares(owner, 'c3')
  await lastMove(friend, 'c3')

  // The friend names the seat, and comes back after closing the page.
  await panel(friend).getByLabel('Your name').fill('Ana')
  await panel(friend).getByRole('button', { name: 'Save' }).click()
  await panel(owner).getByText('Ana: connected').waitFor()
  const context = friend.context()
  await friend.close()
  await panel(owner).getByText('Ana: not connected').waitFor()
  const again = await context.newPage()
  await again.goto(link)
  await panel(owner).getByText('Ana: connected').waitFor()
  await clickSquares(again, 'a1')
  await lastMove(owner, 'a1')

  // A watcher only watches.
  await owner.locator('summary', { hasText: 'A friend elsewhere' }).click()
  const watcher = await harness.open(await owner.getByLabel('Link to watch').inputValue())
  await panel(watcher).getByText('You are watching.').waitFor()
  expect(await watcher.getByRole('button', { name: /legal move/ }).count()).toBe(0)
  expect(await watcher.getByRole('button', { name: 'Resign' }).count()).toBe(0)

  await panel(again).getByRole('button', { name: 'Offer a draw' }).click()
  await owner.getByRole('alert').getByRole('button', { name: 'Accept' }).click()
  for (const page of [owner, again, watcher]) await status(page, /Draw/).first().waitFor()
  for (const page of [owner, again, watcher]) await page.context().close()
})

it('the owner’s browser keeps its own seat, in both languages and on a phone', async () => {
  const { owner, friend, link } = await invited('Othello', { locale: 'es-ES', viewport: { width: 375, height: 760 } })
  await friend.getByText('Juegas con las blancas.').waitFor()
  const other = await owner.context().newPage()
  // Cookies belong to an address: the link as the owner's browser sees it.
  await other.goto(new URL(new URL(link).pathname, harness.address).href)
  await panel(other).getByText('You play Black.').waitFor()
  await clickSquares(other, 'd3')
  await lastMove(friend, 'd3')
  const wide = await friend.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(wide).toBe(0)
  if (process.env.SHOTS) {
    await friend.screenshot({ path: `${process.env.SHOTS}/friend-phone.png`, fullPage: true })
    await owner.screenshot({ path: `${process.env.SHOTS}/friend-owner.png` })
  }
  await owner.context().close()
  await friend.context().close()
})

it('a dead link says so', async () => {
  harness.expectedErrors.push(/status of 404/)
  const page = await harness.open(new URL('/join/abc/def', harness.address).href)
  await page.getByText('This invitation is not valid any more.').waitFor()
  await page.context().close()
})

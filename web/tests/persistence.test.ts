/** Persistence: reload, restart, library, files and links. */

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { clickSquares, lastMove, newGame, scholarsMate, useHarness } from './harness'

const harness = useHarness()

it('a game survives a reload of the page and a restart of the server', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Othello' })
  await clickSquares(page, 'f5')
  await lastMove(page, 'f5')
  await page.reload()
  await lastMove(page, 'f5')
  await page.goto('about:blank')
  await harness.stopServer()
  await harness.startServer()
  await page.goBack()
  await lastMove(page, 'f5')
  await clickSquares(page, 'd6')
  await lastMove(page, 'd6')
  await page.context().close()
})

it('variations and comments are saved and exported', async () => {
  const page = await harness.open()
  await scholarsMate(page)
  await page.locator('.moves .move').first().click()
  await clickSquares(page, 'c7', 'c5')
  await page.locator('.variation .move', { hasText: 'c5' }).waitFor()
  await page.getByRole('button', { name: 'Comment' }).click()
  await page.getByLabel('Comment on this position').fill('the Sicilian')
  await page.getByLabel('Comment on this position').blur()
  await page.locator('.variation', { hasText: 'the Sicilian' }).waitFor()

  await page.getByRole('button', { name: 'Save and share' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ])
  const text = readFileSync(await file.path(), 'utf8')
  expect(text).toContain('Qxf7#')
  expect(text).toContain('Sicilian')

  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByText('Copied').waitFor()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toContain('#/share/')
  await page.goto('about:blank')
  await page.goto(link)
  await page.waitForURL(/#\/game\//)
  await lastMove(page, 'c5')
  await page.context().close()
})

it('pasted text and dropped files are imported', async () => {
  const page = await harness.open()
  await page.getByLabel('Moves, a game or a position').fill('f5d6c3d3c4')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.waitForURL(/#\/game\//)
  await lastMove(page, 'c4')

  await page.evaluate(() => {
    const data = new DataTransfer()
    data.items.add(new File(['[White "Ana"]\n[Black "Bo"]\n\n1. d4 d5 2. c4 *\n'], 'game.pgn'))
    dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true, bubbles: true }))
  })
  await page.getByText('Ana', { exact: true }).first().waitFor()
  await page.locator('.moves .move', { hasText: 'c4' }).waitFor()

  await page.goto(`${harness.address}#/`)
  harness.expectedErrors.push(/status of 400/) // The browser logs the error response.
  await page.getByLabel('Moves, a game or a position').fill('no such thing at all')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.locator('.notice.bad').waitFor()
  await page.context().close()
})

it('games are searched and deleted in the library', async () => {
  const page = await harness.open('library')
  await page.getByLabel('Search').fill('Bo')
  await page.getByText('1 game', { exact: true }).waitFor()
  await page.getByRole('link', { name: /Ana – Bo/ }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Really delete?' }).click()
  await page.getByText('0 games').waitFor()
  await page.context().close()
})

it('a position is set up, validated and played', async () => {
  const page = await harness.open('setup/chess')
  const validity = page.getByTestId('validity')
  await validity.filter({ hasText: 'Valid position' }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await validity.filter({ hasNotText: 'Valid position' }).waitFor()
  const put = async (piece: string, square: string) => {
    await page.getByRole('button', { name: piece, exact: true }).click()
    await clickSquares(page, square)
  }
  await put('white king', 'e1')
  await put('black king', 'e8')
  await put('white queen', 'd1')
  await validity.filter({ hasText: 'Valid position' }).waitFor()
  await page.getByRole('button', { name: 'Play from here' }).click()
  await page.getByText('Two players', { exact: true }).click()
  await page.getByRole('button', { name: 'Start' }).click()
  await clickSquares(page, 'd1', 'd7')
  await lastMove(page, 'Qd7+')
  await page.context().close()
})

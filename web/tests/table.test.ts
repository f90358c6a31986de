/** Seats, analysts, typed moves, premoves, arrows and circles, passes, graphs, folders, set-up, lessons. */

import { expect, it } from 'vitest'
import { clickSquares, lastMove, newGame, openTab, square, status, useHarness } from './harness'

const harness = useHarness()

it('who plays can change at any time, also from an earlier position', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Tic-tac-toe' })
  await clickSquares(page, 'a1')
  await lastMove(page, 'a1')
  await page.getByRole('button', { name: 'Play on against the computer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Play on' }).click()
  // The computer is the side that was not to move: X.
  await clickSquares(page, 'b2')
  await expect.poll(() => page.locator('.moves .move').count()).toBe(3)
  await page.getByRole('button', { name: 'Change players' }).click()
  await dialog.getByText('Computer', { exact: true }).nth(1).click()
  await dialog.getByLabel('Computer · O').selectOption('minimax')
  await dialog.getByRole('button', { name: 'Play on' }).click()
  await status(page, /wins|Draw/).first().waitFor()

  // The finished game stays; another one goes on from its beginning.
  const address = page.url()
  await page.getByRole('button', { name: 'Go to start' }).click()
  await page.getByRole('button', { name: 'Continue from here' }).waitFor()
  expect(page.url()).toBe(address)
  await page.context().close()
})

it('a position from a file goes on against a machine', async () => {
  const page = await harness.open()
  const discs: Record<string, number> = { '33': 2, '34': 1, '43': 1, '44': 2 }
  const tab = ['0 0 0 0 0 0 0 0 0 0', ...Array.from({ length: 8 }, (_, row) => {
    const line = Array.from({ length: 8 }, (_, column) => discs[`${row}${column}`] ?? 0)
    return `0 ${line.join(' ')} 0`
  }), '0 0 0 0 0 0 0 0 0 0'].join('\n')
  await page.setInputFiles('input[type=file]', { name: 'game.tab', mimeType: 'text/plain', buffer: Buffer.from(tab) })
  await page.getByRole('group', { name: 'Othello board' }).waitFor()
  await page.getByRole('button', { name: 'Play on against the computer' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Play on' }).click()
  await page.getByRole('button', { name: /legal move/ }).first().click()
  await expect.poll(() => page.locator('.moves .move').count()).toBe(2)
  await page.context().close()
})

it('the analyst can be chosen, and two compared', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Othello' })
  await openTab(page, 'Analysis')
  await page.getByRole('button', { name: 'Analysis settings' }).click()
  await page.getByLabel('Analyst', { exact: true }).selectOption('alphabeta')
  await page.getByLabel('Compare with').selectOption('puct net=othello-2x32')
  const second = page.getByRole('region', { name: 'Second analyst' })
  await second.getByText(/Both prefer|They disagree/).waitFor({ timeout: 30_000 })
  await page.context().close()
})

it('moves are typed, and marked with arrows and circles', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Chess' })
  const field = page.getByLabel('Type a move')
  for (const move of ['e4', 'c5', 'Nf3']) {
    await field.fill(move)
    await field.press('Enter')
    await lastMove(page, move)
  }
  expect(await field.inputValue()).toBe('')
  await field.fill('Ke5')
  await field.press('Enter')
  await page.getByText('`Ke5` is not a legal move', { exact: false }).waitFor()
  expect(await field.inputValue()).toBe('Ke5')

  await square(page, 'd4').click({ button: 'right' })
  await page.locator('[data-mark="d4"]').waitFor()
  const [from, to] = [await square(page, 'g1').boundingBox(), await square(page, 'f3').boundingBox()]
  if (!from || !to) throw new Error('no squares')
  await page.mouse.move(from.x + 10, from.y + 10)
  await page.mouse.down({ button: 'right' })
  await page.mouse.move(to.x + 10, to.y + 10)
  await page.mouse.up({ button: 'right' })
  await page.locator('[data-mark="g1f3"]').waitFor()
  await square(page, 'h8').focus()
  await page.keyboard.press('x')
  await page.locator('[data-mark="h8"]').waitFor()
  await page.reload()
  await expect.poll(() => page.locator('[data-mark]').count()).toBe(3)
  expect(await page.locator('.moves').textContent()).not.toContain('%c')
  await page.getByRole('button', { name: 'Clear arrows and circles' }).click()
  await expect.poll(() => page.locator('[data-mark]').count()).toBe(0)
  await page.context().close()
})

it('a side without moves passes by itself, and says so', async () => {
  const page = await harness.open()
  const position = '-----X--O---XX--OXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXO-XXXX--O-XXXX-- X'
  await page.goto(`${harness.address}#/new?game=othello&position=${encodeURIComponent(position)}`)
  await page.getByText('Two players', { exact: true }).click()
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('Black has no legal move and passes.').waitFor()
  await status(page, 'White to move').waitFor()
  await page.context().close()
})

it('the graphs of a game, folders and one file for many games', async () => {
  const page = await harness.open()
  await newGame(page, { game: 'Othello' })
  for (const name of ['d3', 'c3', 'c4', 'c5']) await clickSquares(page, name)
  await lastMove(page, 'c5')
  await openTab(page, 'Review')
  await page.getByText('Graphs of the game').click()
  await page.getByRole('img', { name: 'Discs ahead, by move' }).waitFor()
  await page.getByText('Review the game to see what each side lost.').waitFor()
  await page.getByRole('button', { name: 'Review the game' }).click()
  await page.getByRole('img', { name: /Discs lost by mistakes/ }).waitFor({ timeout: 60_000 })

  await page.goto(`${harness.address}#/library`)
  await page.getByLabel('Game').selectOption('othello')
  await page.getByRole('button', { name: 'Move to folder' }).first().click()
  await page.getByLabel('Name of the folder').fill('Club')
  await page.getByRole('dialog').getByRole('button', { name: 'Move to folder' }).click()
  await page.getByLabel('Folder', { exact: true }).selectOption('Club')
  await page.getByText('1 game in one file.').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Save all of these' }).click()
  expect((await download).suggestedFilename()).toBe('othello-1-games.pgn')
  await page.context().close()
})

it('pieces are dragged in the set-up', async () => {
  const page = await harness.open('setup/chess')
  await square(page, 'e2').waitFor()
  const middle = async (name: string) => {
    const box = await square(page, name).boundingBox()
    if (!box) throw new Error(name)
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
  }
  await drag(await middle('e2'), await middle('e4'))
  expect(await square(page, 'e4').getAttribute('aria-label')).toBe('e4, white pawn')
  expect(await square(page, 'e2').getAttribute('aria-label')).toBe('e2, empty')
  const queen = await page.getByRole('button', { name: 'white queen' }).boundingBox()
  if (!queen) throw new Error('no palette')
  await drag({ x: queen.x + 20, y: queen.y + 20 }, await middle('e5'))
  expect(await square(page, 'e5').getAttribute('aria-label')).toBe('e5, white queen')
  await drag(await middle('a2'), { x: queen.x, y: queen.y + 300 })
  expect(await square(page, 'a2').getAttribute('aria-label')).toBe('a2, empty')
  await page.context().close()
})

it.each([['en-US', 'Next', 'Right!'], ['es-ES', 'Siguiente', '¡Bien!']])('a lesson in %s, with a wrong answer on the way', async (locale, next, right) => {
  const page = await harness.open('lessons/connectfour', { locale })
  await square(page, '4a').click()
  await page.getByText(right).waitFor()
  await page.getByRole('button', { name: next }).click()
  await page.getByRole('heading', { name: /2/ }).waitFor()
  await expect.poll(() => square(page, '4c').getAttribute('aria-label')).toMatch(/red|roja/)
  await square(page, '1a').click()
  await page.locator('.answer.bad').waitFor()
  await page.locator('.side .row').getByRole('button').nth(1).click()
  await square(page, '4d').click()
  await page.getByText(right).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: /2/ }).waitFor()
  await page.context().close()
})

it('every lesson can be followed to its end', async () => {
  const page = await harness.open('lessons')
  await page.getByRole('link', { name: /Shōbu/ }).click()
  for (let step = 1; step < 9; step++) {
    const show = page.getByRole('button', { name: 'Show me' })
    const next = page.getByRole('button', { name: 'Next' })
    await page.getByRole('heading', { name: `Step ${step} of` }).waitFor()
    if (await show.isVisible()) await show.click()
    await next.click()
  }
  await page.getByText('Lesson finished').waitFor()
  await page.getByRole('link', { name: 'All lessons' }).first().click()
  await page.getByText('finished', { exact: true }).waitFor()
  await page.context().close()
})

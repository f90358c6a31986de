/** How machines think: the trees of searches as picture and list, step by step. */

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { useHarness } from './harness'

const harness = useHarness()

/** Set SHOTS to a folder to save screenshots. */
async function screenshot(page: Page, name: string) {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true })
}

it('alpha-beta shows values, windows and cutoffs beside plain minimax', async () => {
  const page = await harness.open('lab/think?game=othello')
  await page.getByText('Black plays', { exact: false }).waitFor()
  await page.getByText('It has the largest value.').waitFor()
  expect(await page.locator('[data-test=full-width]').textContent()).toBe('Plain minimax to depth 4 would need 316 nodes.')
  await page.getByText('Beta cutoff', { exact: true }).first().waitFor()
  await page.getByText('Iterative deepening').waitFor()
  await screenshot(page, 'think-alphabeta')

  // The list is a tree for keyboard and screen reader.
  await page.getByText('List', { exact: true }).click()
  const tree = page.getByRole('tree', { name: 'Search tree' })
  const selected = tree.locator('[role=treeitem][aria-selected=true]')
  await tree.focus()
  await page.keyboard.press('Home')
  await expect.poll(() => selected.getAttribute('aria-level')).toBe('1')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => selected.getAttribute('aria-level')).toBe('2')
  const before = await tree.getByRole('treeitem').count()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => tree.getByRole('treeitem').count()).toBeGreaterThan(before)
  await page.keyboard.press('End')
  await expect.poll(() => selected.count()).toBe(1)
  expect(Number(await selected.getAttribute('aria-level'))).toBeGreaterThan(2)
  await page.getByText('Window', { exact: true }).waitFor()
  await page.locator('.node svg').first().waitFor()
  await screenshot(page, 'think-list')
  await page.context().close()
})

it('MCTS grows from iteration to iteration', async () => {
  const page = await harness.open('lab/think?game=connectfour&player=mcts+iterations%3D300')
  await page.getByText('It has the most visits.').waitFor()
  await page.getByText('List', { exact: true }).click()
  const tree = page.getByRole('tree', { name: 'Search tree' })
  const root = tree.getByRole('treeitem').first()
  await expect.poll(() => root.getAttribute('aria-label')).toContain('N 300')
  const slider = page.getByRole('slider', { name: 'Iteration of the search' })
  await slider.fill('10')
  await expect.poll(() => root.getAttribute('aria-label')).toContain('N 10')
  await page.getByText('Iteration 10 of 300').waitFor()
  await page.getByRole('button', { name: 'One step forward' }).click()
  await page.getByText('Iteration 11 of 300').waitFor()
  await slider.fill('1')
  // One move was tried.
  await expect.poll(() => tree.getByRole('treeitem').count()).toBe(2)
  await page.getByRole('button', { name: 'Play step by step' }).click()
  await page.getByText('Iteration 300 of 300').waitFor({ timeout: 30_000 })
  await tree.focus()
  await page.keyboard.press('ArrowDown')
  await page.getByText('Exploration', { exact: true }).waitFor()
  await page.getByText('Picture', { exact: true }).click()
  await screenshot(page, 'think-mcts')
  await page.context().close()
})

it('a player without a tree is refused with the reason', async () => {
  harness.expectedErrors.push(/status of 400/)
  const page = await harness.open('lab/think?game=othello&player=champion+depth%3D3')
  await page.getByText(/`champion depth=3` has no search tree to show; use minimax/).waitFor()
  await page.context().close()
})

it('the analysis of a game leads to the tree of its position, on a phone in Spanish', async () => {
  const seats = [{ player: 'human' }, { player: 'human' }]
  const body = JSON.stringify({ game: 'tictactoe', players: seats, position: 'start moves b2' })
  const created = await fetch(`${harness.address}api/games`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const { id } = (await created.json()) as { id: string }
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'es-ES', colorScheme: 'dark' as const }
  const page = await harness.open(`game/${id}`, phone)
  await page.getByRole('tab', { name: 'Análisis' }).click()
  await page.getByRole('link', { name: 'Cómo piensa' }).click()
  await page.getByRole('heading', { name: 'Cómo piensan las máquinas' }).waitFor()
  await page.getByText('Tiene el mayor valor.').waitFor()
  await page.getByRole('tree', { name: 'Árbol de búsqueda' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await screenshot(page, 'think-phone')
  await page.context().close()
})

it('a tree of 100,000 nodes stays smooth', async () => {
  const page = await harness.open('lab')
  await page.getByRole('link', { name: /How machines think/ }).click()
  await page.getByText('Connect Four', { exact: true }).click()
  await page.getByLabel(/^Search/).selectOption('mcts')
  await page.getByLabel('Iterations').selectOption('100000')
  await page.getByLabel('Nodes to record').selectOption('100000')
  await page.getByRole('button', { name: 'Think' }).click()
  await page.getByText('Iteration 100,000 of 100,000').waitFor({ timeout: 60_000 })
  // Everything is open: the picture draws only what is in its window.
  const picture = page.getByRole('group', { name: /^Search tree/ })
  await picture.focus()
  const frames = await page.evaluate(async () => {
    const times: number[] = []
    const element = document.querySelector<HTMLElement>('[role=group][tabindex="0"]')
    for (let i = 0; i < 30; i++) {
      const start = performance.now()
      element?.dispatchEvent(new WheelEvent('wheel', { deltaY: 400, bubbles: true, cancelable: true }))
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      times.push(performance.now() - start)
    }
    return times.sort((a, b) => a - b)
  })
  // No limit on a busy machine; the median is reported.
  console.info(`median of two frames while scrolling: ${frames[15]?.toFixed(1)} ms`)
  await screenshot(page, 'think-large')
  await page.context().close()
}, 180_000)

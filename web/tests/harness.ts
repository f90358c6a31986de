/** The test harness: a server with an empty data folder, and a browser whose console errors are collected. */

import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { GameKind } from '../src/api/types'

const PROGRAM = process.env.TABLERO ?? new URL('../../target/release/tablero', import.meta.url).pathname
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
/** Set DIST to test a freshly built page without rebuilding the program. */
const DIST = process.env.DIST
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
]

export class Harness {
  readonly folder = mkdtempSync(join(tmpdir(), 'tablero-page-'))
  address = ''
  private server: ChildProcess | undefined
  private browser: Browser | undefined
  /** Errors and warnings of the browser's console. */
  readonly consoleErrors: string[] = []
  /** Console errors that a test causes on purpose; they may arrive after it ended. */
  readonly expectedErrors: RegExp[] = []
  /** The server's port; any free one at first. */
  port = '0'
  /** More arguments of the server. */
  readonly args: string[] = []
  /** Whether the server was stopped, which explains failed requests. */
  private wasStopped = false

  async start() {
    if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: build it, or set TABLERO`)
    if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: install it, or set CHROMIUM`)
    // A page from a folder counts as a public site, which may not access the local network.
    const args = DIST ? [...FLAGS, '--disable-features=LocalNetworkAccessChecks'] : FLAGS
    this.browser = await chromium.launch({ executablePath: CHROMIUM, args })
    await this.startServer()
  }

  /** Starts the server, on the same port if it ran before. */
  async startServer() {
    const port = this.address ? new URL(this.address).port : this.port
    const server = spawn(PROGRAM, ['serve', '--port', port, '--data', this.folder, ...this.args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.server = server
    this.address = await new Promise<string>((resolve, reject) => {
      server.once('error', reject)
      server.once('exit', (code) => reject(new Error(`the server exited with ${code}`)))
      createInterface({ input: server.stdout }).once('line', (line) => {
        const found = /https?:\/\/[^\s]+/.exec(line)?.[0]
        if (found) resolve(found)
        else reject(new Error(`the server printed "${line}" instead of its URL`))
      })
    })
  }

  async stopServer() {
    const server = this.server
    if (!server || server.exitCode !== null) return
    this.wasStopped = true
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGINT')
    const hard = setTimeout(() => server.kill('SIGKILL'), 5000)
    await ended
    clearTimeout(hard)
  }

  /** The server's catalog of games. */
  async catalog(): Promise<GameKind[]> {
    return (await (await fetch(`${this.address}api/catalog`)).json()) as GameKind[]
  }

  /** A page in a fresh profile, at `path` after the `#`, or at a whole URL. */
  async open(path = '', options: BrowserContextOptions = {}): Promise<Page> {
    if (!this.browser) throw new Error('no browser')
    const context = await this.browser.newContext({
      locale: 'en-US',
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    page.on('console', (message) => {
      const isProblem = message.type() === 'error' || message.type() === 'warning'
      const isExpected = this.wasStopped && /net::ERR_(CONNECTION|EMPTY)|status of 503/.test(message.text())
      if (isProblem && !isExpected) this.consoleErrors.push(`${message.text()} ${message.location().url}`)
    })
    page.on('response', async (response) => {
      if (response.status() < 500 || response.status() === 503) return
      this.consoleErrors.push(`${response.url()}: ${await response.text().catch(() => 'no body')}`)
    })
    page.on('pageerror', (error) => this.consoleErrors.push(error.message))
    if (DIST) await this.serveFrom(page, DIST)
    await this.visit(page, /^https?:/.test(path) ? path : `${this.address}#/${path}`)
    return page
  }

  /** Goes to a URL that may exchange a secret for a cookie. */
  async visit(page: Page, url: string) {
    // Redirects are not intercepted, so that the page would be the program's.
    const redirected = DIST ? (await page.request.get(url, { maxRedirects: 0 })).headers().location : undefined
    await page.goto(redirected ? new URL(redirected, url).href : url)
  }

  /** Serves the page from a folder instead of the program, with the program's security policy. */
  private async serveFrom(page: Page, folder: string) {
    const port = this.port === '0' ? new URL(this.address).port : this.port
    const { headers } = await fetch(`http://127.0.0.1:${port}/`)
    const policy = { 'content-security-policy': headers.get('content-security-policy') ?? '' }
    await page.context().route(/^[^?]*:\d+\/(assets\/.*|favicon\.svg|)$/, (route) => {
      const file = new URL(route.request().url()).pathname
      return route.fulfill({ path: join(folder, file === '/' ? 'index.html' : file), headers: policy })
    })
  }

  async close() {
    await this.browser?.close()
    await this.stopServer()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A harness for the tests of a file; a test with console errors fails. */
export function useHarness(...args: string[]): Harness {
  const harness = new Harness()
  harness.args.push(...args)
  beforeAll(() => harness.start())
  afterEach(() => {
    const isExpected = (text: string) => harness.expectedErrors.some((pattern) => pattern.test(text))
    expect(harness.consoleErrors.splice(0).filter((text) => !isExpected(text))).toEqual([])
  })
  afterAll(() => harness.close())
  return harness
}

export function square(page: Page, name: string): Locator {
  return page.locator(`[data-square="${name}"]`)
}

export async function clickSquares(page: Page, ...names: string[]) {
  for (const name of names) await square(page, name).click()
}

/** Waits until the move list ends with this move. */
export async function lastMove(page: Page, label: string) {
  await page.locator('.moves .move').last().filter({ hasText: label }).waitFor()
}

/** The status line with this text. */
export function status(page: Page, text: string | RegExp): Locator {
  return page.locator('.status', { hasText: text })
}

/** Opens one of the tabs beside the board. */
export async function openTab(page: Page, name: 'Moves' | 'Analysis' | 'Review') {
  await page.getByRole('tab', { name, exact: true }).click()
}

/** Reviews the game on the screen. */
export async function reviewGame(page: Page) {
  await openTab(page, 'Review')
  await page.getByRole('button', { name: 'Review the game' }).click()
}

export interface Start {
  game: 'Othello' | 'Chess' | 'Shōbu' | 'Tic-tac-toe'
  who?: 'Against the computer' | 'Two players' | 'Computer vs computer'
  opponent?: string
}

/** Starts a game through the form. */
export async function newGame(page: Page, { game, who = 'Two players', opponent }: Start) {
  await page.goto(page.url().replace(/#.*/, '#/new'))
  await page.getByText(game, { exact: true }).first().click()
  await page.getByText(who, { exact: true }).click()
  if (opponent) await page.getByLabel('Opponent').selectOption(opponent)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('group', { name: `${game} board` }).waitFor()
}

/** Plays a whole game of chess: the scholar's mate. */
export async function scholarsMate(page: Page) {
  await newGame(page, { game: 'Chess' })
  const moves = [
    ['e2', 'e4', 'e4'], ['e7', 'e5', 'e5'], ['d1', 'h5', 'Qh5'], ['b8', 'c6', 'Nc6'],
    ['f1', 'c4', 'Bc4'], ['g8', 'f6', 'Nf6'], ['h5', 'f7', 'Qxf7#'],
  ]
  for (const [from = '', to = '', label = ''] of moves) {
    await clickSquares(page, from, to)
    await lastMove(page, label)
  }
  await status(page, 'White wins, checkmate').waitFor()
}

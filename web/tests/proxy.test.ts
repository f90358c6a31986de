/** A game with a friend through a real reverse proxy with TLS (nginx, where it is installed), as docs/reference/http-api.md sets it up. */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Harness, clickSquares, lastMove } from './harness'

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find(existsSync)
const folder = mkdtempSync(join(tmpdir(), 'tablero-proxy-'))
const harness = new Harness()
let nginx: ChildProcess | undefined
let origin = ''

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

function configuration(port: number, server: number): string {
  return `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  map $http_upgrade $connection_upgrade { default upgrade; "" close; }
  server {
    listen 127.0.0.1:${port} ssl;
    server_name localhost;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    client_max_body_size 64m;
    location / {
      proxy_pass http://127.0.0.1:${server};
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_read_timeout 120s;
    }
  }
}
`
}

beforeAll(async () => {
  if (!NGINX) return
  const port = await freePort()
  origin = `https://localhost:${port}`
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, '-days', '2', ...subject], { stdio: 'ignore' })
  const server = await freePort()
  harness.args.push('--public-url', origin)
  harness.port = String(server)
  await harness.start()
  writeFileSync(`${folder}/nginx.conf`, configuration(port, server))
  nginx = spawn(NGINX, ['-c', `${folder}/nginx.conf`, '-p', folder], { stdio: 'ignore' })
  await expect.poll(() => fetch(origin.replace('https', 'http')).then(() => true, () => false), { timeout: 10_000 }).toBe(true)
})

afterAll(async () => {
  nginx?.kill('SIGQUIT')
  if (NGINX) await harness.close()
  rmSync(folder, { recursive: true, force: true })
})

it.runIf(NGINX)('a friend plays through nginx with TLS', async () => {
  const options = { ignoreHTTPSErrors: true }
  expect(harness.address.startsWith(`${origin}/?token=`)).toBe(true)
  const owner = await harness.open(harness.address, options)
  await owner.goto(`${origin}/#/new`)
  await owner.getByText('Tic-tac-toe', { exact: true }).first().click()
  await owner.getByText('With a friend elsewhere', { exact: true }).click()
  await owner.getByRole('button', { name: 'Start' }).click()
  const link = await owner.getByLabel('Link for your friend').first().inputValue()
  expect(link.startsWith(`${origin}/join/`)).toBe(true)
  const friend = await harness.open(link, options)
  await owner.getByText('O: connected').waitFor()
  await clickSquares(owner, 'a1')
  await lastMove(friend, 'a1')
  await clickSquares(friend, 'b2')
  await lastMove(owner, 'b2')
  const cookies = await friend.context().cookies()
  expect(cookies.every((cookie) => cookie.secure && cookie.httpOnly)).toBe(true)
  // Without token or link there is nothing.
  const stranger = await fetch(`http://127.0.0.1:${harness.port}/api/games`)
  expect(stranger.status).toBe(401)
  await owner.context().close()
  await friend.context().close()
})

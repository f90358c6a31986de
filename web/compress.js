// Writes a gzipped copy of every file that compresses well, for the server to send.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const folder = 'dist'
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(js|css|html|svg|json)$/.test(name)) continue
  const content = readFileSync(`${folder}/${name}`)
  const compressed = gzipSync(content, { level: 9 })
  if (compressed.length < 0.9 * content.length) writeFileSync(`${folder}/${name}.gz`, compressed)
}

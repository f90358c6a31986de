// Prints the size of the page's assets; fails if the scripts exceed the limit.
import { readFileSync, readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT = 180_000
const folder = 'dist/assets'
let total = 0
for (const name of readdirSync(folder).filter((name) => !name.endsWith('.gz')).sort()) {
  const size = gzipSync(readFileSync(`${folder}/${name}`)).length
  if (name.endsWith('.js')) total += size
  console.log(`${String(size).padStart(8)}  ${name}`)
}
console.log(`${String(total).padStart(8)}  scripts, gzip (limit ${LIMIT})`)
if (total > LIMIT) process.exit(1)

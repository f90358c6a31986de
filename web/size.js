// Prints the size of the page's assets; fails if the scripts that every visit loads exceed the limit.
import { readFileSync, readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const LIMIT = 150_000
const folder = 'dist/assets'
const start = readFileSync('dist/index.html', 'utf8')
let first = 0
let total = 0
for (const name of readdirSync(folder).filter((name) => !name.endsWith('.gz')).sort()) {
  const size = gzipSync(readFileSync(`${folder}/${name}`)).length
  if (name.endsWith('.js')) {
    total += size
    if (start.includes(name)) first += size
  }
  console.log(`${String(size).padStart(8)}  ${name}`)
}
console.log(`${String(first).padStart(8)}  scripts of the first page, gzip (limit ${LIMIT})`)
console.log(`${String(total).padStart(8)}  all scripts`)
if (first > LIMIT) process.exit(1)

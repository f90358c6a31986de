import { svelte } from '@sveltejs/vite-plugin-svelte'
import { marked } from 'marked'
import { defineConfig, type Plugin } from 'vite'

/** For `npm run dev`: the URL of `tablero serve`, which accepts only its own Host and Origin. */
const server = process.env.TABLERO_SERVER ?? 'http://127.0.0.1:8080'

/** Markdown (docs/help) becomes HTML at build time. */
const markdown: Plugin = {
  name: 'markdown',
  transform(text, id) {
    if (!id.endsWith('.md')) return null
    return { code: `export default ${JSON.stringify(marked.parse(text, { async: false }))}`, map: null }
  },
}

export default defineConfig({
  plugins: [svelte(), markdown],
  build: {
    target: 'es2022',
    // The content security policy allows no data: URLs for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // The Help texts are in docs/.
    fs: { allow: ['..'] },
    proxy: {
      '/api': { target: server, changeOrigin: true, ws: true, headers: { origin: server } },
    },
  },
})

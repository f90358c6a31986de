import { defineConfig } from 'vitest/config'

/** The tests that drive a browser against a running server; see tests/world.ts. */
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
})

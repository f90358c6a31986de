import { defineConfig } from 'vitest/config'

/** Browser tests against a running server; see tests/harness.ts. */
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A real browser on a busy machine; the report names the tests that needed it.
    retry: 1,
    expect: { poll: { timeout: 15_000 } },
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // DuckDB aborts the process when a worker thread ends during a query, so tests run in child processes.
    pool: 'forks',
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    // On a busy machine what takes a minute may take ten: a test ends late rather than fails, and no set-up is given up.
    testTimeout: 240_000,
    hookTimeout: 900_000,
    // DuckDB aborts the process when a worker thread ends during a query, so tests run in child processes.
    pool: 'forks',
    // Many tests wait for a node or a child process, so no core need be left free.
    maxWorkers: '100%',
  },
})

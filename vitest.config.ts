import { existsSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Shared with `npm start`: threads and programs that tests start load in half the time.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, '.cache', 'compile')

// glibc would return memory to the system after each large statement: a tenth of an update.
process.env.MALLOC_TRIM_THRESHOLD_ ??= String(2 ** 29)
process.env.MALLOC_MMAP_THRESHOLD_ ??= String(2 ** 29)
process.env.MALLOC_TOP_PAD_ ??= String(2 ** 24)

// Small updates wait a fifth of their time for the disk, which takes a sixth more processor time
// than memory: tests use memory if there is plenty.
const memoryDisk = '/dev/shm'
if (existsSync(memoryDisk) && process.availableMemory() > 10 * 2 ** 30) {
  const { bavail, bsize } = statfsSync(memoryDisk)
  if (bavail * bsize > 6 * 2 ** 30) process.env.TMPDIR ??= memoryDisk
}

/**
 * Begins with the tests of `npm test`, and of each suite with the files that took longest, so that
 * no core waits for one at the end. While that is not known, those of folders with long tests come
 * first, the largest before others.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = (file: TestSpecification): boolean =>
      !this.ctx.cache.getTestSpecificationResult(file) && /\/test\/(compute|program|store|web)\//.test(file.moduleId)
    const rank = (file: TestSpecification): number =>
      2 * Number(file.moduleId.endsWith('.extended.test.ts')) - Number(isLong(file))
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  // Vitest keeps the durations of test files here.
  cacheDir: '.cache/vite',
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/fixture-folder.ts'],
    // On a busy machine a minute may become ten: a late end is better than a failure.
    testTimeout: 240_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    // DuckDB aborts the process if a worker thread ends during a query.
    pool: 'forks',
    execArgv: [
      // For short-lived objects: a tenth of the time went into collecting them.
      '--max-semi-space-size=64',
      // For long-lived ones: each buffer of 64 MB outside the heap had all collected, another
      // tenth.
      '--initial-old-space-size=1024',
      '--external-memory-accounted-in-global-limit',
      '--no-memory-reducer',
      // Optimising most functions costs more than it saves; hot loops are optimised all the same.
      '--invocation-count-for-turbofan=30000',
    ],
    // Node loads the program as for users, without a transform that makes every use of an import a
    // call: the inner loops of the cohort pass took five times as long.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Loading the program for each file takes a fifth of the time. Files put back whatever they
    // replace.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Many tests wait for a disk, node or child process and leave their core to others.
    maxWorkers: os.availableParallelism() + 1,
  },
})

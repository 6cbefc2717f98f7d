import { existsSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Where `npm start` keeps compiled code, too: threads and programs that tests start come up in half
// the time with it.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, '.cache', 'compile')

// glibc gives memory back to the system after each large statement, only to take it again: a tenth
// of an update.
process.env.MALLOC_TRIM_THRESHOLD_ ??= String(2 ** 29)
process.env.MALLOC_MMAP_THRESHOLD_ ??= String(2 ** 29)
process.env.MALLOC_TOP_PAD_ ??= String(2 ** 24)

// A fifth of an update of a small chain is waiting for the disk, and it takes a sixth more
// processor time there than in memory: tests keep their folders in memory if there is plenty.
const memoryDisk = '/dev/shm'
if (existsSync(memoryDisk) && process.availableMemory() > 10 * 2 ** 30) {
  const { bavail, bsize } = statfsSync(memoryDisk)
  if (bavail * bsize > 6 * 2 ** 30) process.env.TMPDIR ??= memoryDisk
}

/** The files that take longest; the second makes the chain that many others wait for. */
const longest = [
  'program/regtest',
  'mcp/transport/clients',
  'web/pages',
  'program/faults',
  'compute/publish/checkpoints',
  'store/machines',
  'web/use',
  'api/schemathesis',
  'program/proof',
  'program/follow',
  'program/first-start',
  'store/store',
  'compute/catalogue/catalogue',
  'api/endpoints',
  'program/schedule',
  'docs/operate',
  'ingest/market/fetch-futures',
  'store/lake',
  'build/package-program',
  'compute/publish/simulated',
  'program/killed-runs',
  'compute/publish/random-cuts',
  'program/unchanged',
  'web/account',
  'ingest/market/soak',
  'ingest/market/fetch-funds',
  'ingest/market/fetch-spot',
  'compute/audit/audit-published',
  'ingest/market/recorded',
  'api/rights',
  'program/flips',
  'ingest/market/killed-fetch',
  'compute/catalogue/values',
]

/** Begins with the files that take longest, so that at the end no core waits for one of them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return found < 0 ? longest.length : found
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    // On a busy machine what takes a minute may take ten: a test ends late rather than fails, and
    // no set-up is given up.
    testTimeout: 240_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    // DuckDB aborts the process when a worker thread ends during a query, so tests run in child
    // processes.
    pool: 'forks',
    execArgv: [
      // Room for what lives shortly: a tenth of the time went into collecting it.
      '--max-semi-space-size=64',
      // And for what lives on: each buffer of 64 MB outside the heap had all of it collected,
      // another tenth.
      '--initial-old-space-size=1024',
      '--external-memory-accounted-in-global-limit',
      '--no-memory-reducer',
    ],
    // Node loads the program as it does for users, without a transform, after which every use of an
    // import is a call: the innermost loops of the pass over cohorts took five times as long.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // To load the program anew for each file would take a fifth of the time. Whatever a file
    // replaces it puts back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Many tests wait for a disk, a node or a child process, and leave a core to another meanwhile.
    maxWorkers: os.availableParallelism() + 1,
  },
})

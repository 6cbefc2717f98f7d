import os from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Where `npm start` keeps compiled code, too: threads and programs that tests start come up in half the time with it.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, '.cache', 'compile')

// glibc gives memory back to the system after each large statement, only to take it again: a tenth of an update.
process.env.MALLOC_TRIM_THRESHOLD_ ??= String(2 ** 29)
process.env.MALLOC_MMAP_THRESHOLD_ ??= String(2 ** 29)
process.env.MALLOC_TOP_PAD_ ??= String(2 ** 24)

/** The files that take longest; the second makes the chain that many others wait for. */
const longest = [
  'program/regtest',
  'compute/catalogue/catalogue',
  'store/machines',
  'program/faults',
  'compute/publish/random-cuts',
  'compute/publish/checkpoints',
  'api/schemathesis',
  'web/use',
  'web/pages',
  'program/follow',
  'program/proof',
  'store/store',
  'program/killed-runs',
  'compute/catalogue/values',
  'program/data-folder',
  'compute/publish/keyless',
  'ingest/market/soak',
  'compute/scan/flipped-bits',
  'api/endpoints',
  'mcp/transport/clients',
  'build/package-program',
  'ingest/market/fetch-futures',
  'api/generations',
  'api/fuzz',
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
    // On a busy machine what takes a minute may take ten: a test ends late rather than fails, and no set-up is given up.
    testTimeout: 240_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    // DuckDB aborts the process when a worker thread ends during a query, so tests run in child processes.
    pool: 'forks',
    execArgv: [
      // Room for what lives shortly: a tenth of the time went into collecting it.
      '--max-semi-space-size=64',
      // And for what lives on: each buffer of 64 MB outside the heap had all of it collected, another tenth.
      '--initial-old-space-size=1024',
      '--external-memory-accounted-in-global-limit',
      '--no-memory-reducer',
    ],
    // To load the program anew for each file would take a fifth of the time. Whatever a file replaces it puts back.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Many tests wait for a disk, a node or a child process, and leave a core to another meanwhile.
    maxWorkers: os.availableParallelism() + 1,
  },
})

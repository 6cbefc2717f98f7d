import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { healthSchema } from '#contract/health.ts'
import { operationalStateSchema, type ServiceState } from '#contract/operational-state.ts'
import { statusSchema } from '#contract/status.ts'
import { RunJournal } from '#state/run-journal.ts'
import { bearer, keyOf, serve, type TestServer, withoutLimits } from '#test/api/support/test-server.ts'
import { coinstrata, type Outcome, type ProgramOptions, startCoinstrata } from '#test/support/program.ts'

/** State and ordered problem codes, as one place reports them. */
export interface Told {
  readonly state: ServiceState
  readonly problems: readonly string[]
  /** What to do about each. */
  readonly cures: readonly string[]
}

const clock = performance.now.bind(performance)
let skippedMs = 0

/** A data folder that is served, and all that tells how it is. */
export class FaultedService {
  readonly dataDir: string
  readonly server: TestServer
  readonly #key: string

  private constructor(dataDir: string, server: TestServer, key: string) {
    this.dataDir = dataDir
    this.server = server
    this.#key = key
  }

  /** Serves a copy of a data folder of a chain of years ago, which counts as new. */
  static async start(published: string, dataDir: string): Promise<FaultedService> {
    cpSync(published, dataDir, { recursive: true, verbatimSymlinks: true })
    const key = await keyOf(dataDir, 'pro')
    const server = await serve(
      dataDir,
      { ...withoutLimits, METRICS_PORT: '0', MAX_AGE: '99999d' },
      { verifyIntervalMs: 200 },
    )
    return new FaultedService(dataDir, server, key)
  }

  /** Forgets all runs, so that the next fault is told by itself. */
  forget(): void {
    rmSync(path.join(this.dataDir, 'state', 'runs.db'), { force: true })
    new RunJournal(this.dataDir).close()
  }

  /** Runs a command on the data folder as a service manager does, with JSON lines. */
  run(args: readonly string[], given: Readonly<Record<string, string>> = {}, own?: ProgramOptions): Promise<Outcome> {
    const options = { ...own, environment: { LOG_FORMAT: 'json', ...own?.environment, ...given } }
    const all = [...args, '--data-dir', this.dataDir]
    return own ? startCoinstrata(all, options).outcome : coinstrata(all, options)
  }

  /** Reports of the four places, and the exit code of `status`. */
  async told(): Promise<{ exitCode: number | null; places: Record<string, Told>; failedRuns: string[] }> {
    // The server, which is in this process, remembers its state for a second of this clock.
    skippedMs += 1_000
    performance.now = () => clock() + skippedMs
    const { exitCode, stdout } = await coinstrata([
      'status',
      '--json',
      '--max-age',
      '99999d',
      '--data-dir',
      this.dataDir,
    ])
    const health = await fetch(`${this.server.url}/health`)
    const status = await fetch(`${this.server.url}/v1/status`)
    const figures = await (await fetch(this.server.metricsUrl ?? '')).text()
    const told: unknown = await status.json()
    if (!status.ok) throw new Error(this.server.log().slice(0, 900))
    const { state } = statusSchema.parse(told)
    return {
      exitCode,
      places: {
        'status --json': reportedBy(healthSchema.extend({ disk_free_bytes: z.number() }).parse(JSON.parse(stdout))),
        '/health': reportedBy(healthSchema.parse(await health.json())),
        '/v1/status': reportedBy(state),
        '/metrics': reportedByMetrics(figures),
      },
      failedRuns: [...figures.matchAll(/^coinstrata_run_failed\{command="(\w+)",code="(\w*)"\} 1$/gm)].map(
        ([, job, code]) => `${job} ${code}`,
      ),
    }
  }

  /** Rows of a table that only a key opens; of so many days no answer was made before. */
  async served(days: number): Promise<unknown> {
    const response = await fetch(`${this.server.url}/v1/holder/supply?limit=${days}`, { headers: bearer(this.#key) })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return z.object({ data: z.array(z.unknown()) }).parse(await response.json()).data
  }

  close(): Promise<void> {
    performance.now = clock
    return this.server.close()
  }
}

const reportedBy = ({ status, problems }: z.infer<typeof operationalStateSchema>): Told => ({
  state: status,
  problems: problems.map(({ code }) => code),
  cures: problems.map(({ cure }) => cure),
})

function reportedByMetrics(figures: string): Told {
  const [, state] = /^coinstrata_state\{state="(\w+)"\} 1$/m.exec(figures) ?? []
  const found = [...figures.matchAll(/^coinstrata_problem\{code="(\w+)",cure=(".*")\} 1$/gm)]
  return {
    state: operationalStateSchema.shape.status.parse(state),
    problems: found.map(([, code = '']) => code),
    cures: found.map(([, , cure = '']) => z.string().parse(JSON.parse(cure))),
  }
}

/** The lines of the log, each of them JSON, in which something failed. */
export const failuresIn = ({ stderr }: Outcome): unknown[] =>
  stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
    .filter((entry) => z.object({ level: z.literal(50) }).safeParse(entry).success)

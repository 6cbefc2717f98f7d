import { CoinstrataError } from '#base/errors.ts'
import type { OperationalState, Problem } from '#contract/operational-state.ts'
import type { Generations } from '#query/generations.ts'
import type { Published } from '#query/published.ts'
import { type Generation, standsComplete } from '#sql/generation.ts'
import { provedBlocksOf } from '#state/health.ts'
import { readOperations } from '#state/operational-state.ts'
import type { ProvedBlocks } from '#state/proved-segments.ts'
import type { Run } from '#state/run-journal.ts'

export interface OperationsOptions {
  /** Age of the newest block from which on data are stale, in milliseconds. */
  readonly maxAge: number
  /** Runs that this process knows of, beside those of the journal. */
  readonly recentRuns: () => readonly Run[]
  /** What this process knows to be wrong. */
  readonly problems: () => readonly Problem[]
  /** Charts waiting to be drawn. */
  readonly chartsWaiting: () => number
}

export interface Operating {
  readonly state: OperationalState
  /** The newest of each job first. */
  readonly runs: readonly Run[]
  /** The generation that is served; undefined where there is none that can be. */
  readonly served: Generation | undefined
  readonly proved: ProvedBlocks | null
}

/** Everybody may ask how the service is, as often as they like. In milliseconds. */
const keptFor = 1_000

/** How the service and its data are, read from the data folder at most once a second while it serves the same. */
export class Operations {
  readonly dataDir: string
  readonly chartsWaiting: () => number
  readonly #generations: Generations
  readonly #options: OperationsOptions
  #known: { readonly until: number; readonly of: Published; readonly operating: Operating } | undefined

  constructor(generations: Generations, options: OperationsOptions) {
    this.dataDir = generations.dataDir
    this.chartsWaiting = options.chartsWaiting
    this.#generations = generations
    this.#options = options
  }

  async read(): Promise<Operating> {
    const now = performance.now()
    const known = this.#known
    if (known && known.until > now && known.of === this.#generations.ready) return known.operating
    const operating = await this.#read()
    const { ready } = this.#generations
    this.#known = ready && { until: now + keptFor, of: ready, operating }
    return operating
  }

  async #read(): Promise<Operating> {
    const { dataDir } = this
    const { maxAge, recentRuns, problems } = this.#options
    const served = await this.#served()
    const isIncomplete = typeof served === 'object' && !standsComplete(dataDir, served)
    const { state, runs } = readOperations(dataDir, {
      served,
      isIncomplete,
      maxAge,
      recent: recentRuns(),
      known: problems(),
    })
    if (typeof served !== 'object') return { state, runs, served: undefined, proved: null }
    return { state, runs, served, proved: provedBlocksOf(dataDir, served) }
  }

  async #served(): Promise<Generation | 'damaged' | undefined> {
    try {
      return (await this.#generations.read(async (published) => published)).generation
    } catch (error) {
      return error instanceof CoinstrataError && error.code === 'data_not_ready' ? undefined : 'damaged'
    }
  }
}

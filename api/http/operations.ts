import type { RequestHandler, Response } from 'express'
import type { CoinProof } from '#contract/coin-proof.ts'
import type { OperationalState, Problem } from '#contract/operational-state.ts'
import type { Generations } from '#query/generations.ts'
import type { Published } from '#query/published.ts'
import { currentGenerationId, type Generation, openToday, publishedFolder } from '#sql/generation.ts'
import { readCoinProof } from '#state/coin-proof.ts'
import type { Following } from '#state/following.ts'
import { countProvedBlocks, describeHealth } from '#state/health.ts'
import { readOperations } from '#state/operational-state.ts'
import type { ProvedBlocks } from '#state/proved-segments.ts'
import type { Run } from '#state/run-journal.ts'

interface OperationsOptions {
  /** Data are stale if the newest block is older, in ms. */
  readonly maxAge: number
  /** Runs of this process that the journal lacks. */
  readonly recentRuns: () => readonly Run[]
  readonly problems: () => readonly Problem[]
  readonly chartsWaiting: () => number
}

export interface OperationsReport {
  readonly state: OperationalState
  /** By job, newest first. */
  readonly runs: readonly Run[]
  /** Undefined if nothing can be served. */
  readonly served: Generation | undefined
  readonly proved: ProvedBlocks | null
  readonly provedCoins: CoinProof | null
  /** Undefined if no process follows the node. */
  readonly following: Following | undefined
}

/** Anybody may ask, as often as they like. */
const cacheMs = 1_000

/** Read at most once a second while the same generation is served. */
export class Operations {
  readonly dataDir: string
  readonly chartsWaiting: () => number
  readonly #generations: Generations
  readonly #options: OperationsOptions
  #known: { readonly until: number; readonly of: Published; readonly report: OperationsReport } | undefined

  constructor(generations: Generations, options: OperationsOptions) {
    this.dataDir = generations.dataDir
    this.chartsWaiting = options.chartsWaiting
    this.#generations = generations
    this.#options = options
  }

  async read(): Promise<OperationsReport> {
    const now = performance.now()
    const known = this.#known
    if (known && known.until > now && known.of === this.#generations.ready) return known.report
    const operating = await this.#read()
    const { ready } = this.#generations
    this.#known = ready && { until: now + cacheMs, of: ready, report: operating }
    return operating
  }

  async #read(): Promise<OperationsReport> {
    const { dataDir } = this
    const { maxAge, recentRuns, problems } = this.#options
    const served = await this.#served()
    const today = openToday(publishedFolder(dataDir)) === 'damaged' ? ['today'] : []
    const { state, runs, following } = readOperations(dataDir, {
      served,
      damaged: [...this.#generations.damaged, ...today],
      maxAgeMs: maxAge,
      recentRuns: recentRuns(),
      knownProblems: problems(),
    })
    if (typeof served !== 'object')
      return { state, runs, following, served: undefined, proved: null, provedCoins: null }
    const proofs = { proved: countProvedBlocks(dataDir, served), provedCoins: readCoinProof(dataDir, served) }
    return { state, runs, following, served, ...proofs }
  }

  async #served(): Promise<Generation | 'damaged' | undefined> {
    try {
      return (await this.#generations.read(async (published) => published)).generation
    } catch {
      return currentGenerationId(this.dataDir) === undefined ? undefined : 'damaged'
    }
  }
}

/** Status 503 only if nothing can be served. */
export function health(operations: Operations): RequestHandler {
  return async (_, response) => {
    const { state, served, proved, provedCoins } = await operations.read()
    sendState(response, served ? 200 : 503, describeHealth(state, served, proved, provedCoins))
  }
}

/** A process that does not answer should be restarted. */
export const live: RequestHandler = (_, response) => sendState(response, 200, { status: 'ok' })

/** A process without data should get no callers. */
export function ready(operations: Operations): RequestHandler {
  return async (_, response) => {
    const { served } = await operations.read()
    sendState(response, served ? 200 : 503, { status: served ? 'ok' : 'data_not_ready' })
  }
}

const sendState = (response: Response, status: number, state: object): void =>
  void response.status(status).set('Cache-Control', 'no-store').json(state)

import cluster, { type Worker } from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '#api/http/listening-server.ts'
import { joinMetrics, type ProcessMetrics, serveMetrics } from '#api/http/prometheus.ts'
import type { Logger } from '#base/log.ts'
import { oneAtATime } from '#base/one-at-a-time.ts'
import { addressOfServer } from '#base/socket-address.ts'
import type { Settings } from '#root/config.ts'
import { cliProgram } from './child-commands.ts'
import { outputOf } from './output.ts'
import { startPulling } from './pulling.ts'
import type { Surroundings } from './surroundings.ts'
import { welcome } from './welcome.ts'
import { type Asked, told } from './worker.ts'

/** Before a worker that died is replaced, in milliseconds; twice as long each time that one lives no longer than a minute. */
const shortestPause = 1_000
const longestPause = 60_000
/** Longer than a worker gives its answers. */
const longestStop = 15_000
const longestTelling = 2_000

interface Serving {
  readonly worker: Worker
  readonly url: string
}
interface Ended {
  readonly exitCode: number
}

/**
 * Serves by several processes that share the port, takes new generations for them and adds up their figures, until it is told to end. A worker
 * that dies is replaced; on SIGHUP all are, one after the other. Returns the exit code: that of the first worker where it cannot serve.
 */
export async function serveByWorkers(settings: Settings, surroundings: Surroundings): Promise<number> {
  const output = outputOf(settings, surroundings)
  const { log, isJson, stdout } = output
  const { METRICS_PORT, PULL_URL, WORKERS } = settings
  const toldToEnd = new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  const workers = new Workers(settings, log)
  try {
    // What is wrong with the settings is told once.
    const url = await workers.startFirst()
    if (typeof url === 'number') return url
    const metrics =
      METRICS_PORT === undefined
        ? undefined
        : await listen(
            serveMetrics(() => workers.figures()),
            settings,
            METRICS_PORT,
            'METRICS_PORT',
          )
    const pulling = PULL_URL === undefined ? undefined : await startPulling(settings, output)
    await workers.startRest()
    const reloads = oneAtATime()
    process.on('SIGHUP', () => void reloads(() => workers.replaceAll()))
    const metricsUrl = metrics && `${addressOfServer(metrics)}/metrics`
    if (isJson) log.info({ url, metrics_url: metricsUrl, workers: WORKERS }, `serving on ${url}`)
    else stdout.write(welcome(url, settings, metricsUrl, undefined))
    await toldToEnd
    await pulling?.stop()
    metrics?.close()
    metrics?.closeAllConnections()
    return 0
  } finally {
    await workers.stop()
  }
}

class Workers {
  readonly #count: number
  readonly #log: Logger
  readonly #environment: NodeJS.ProcessEnv
  readonly #serving = new Set<Worker>()
  readonly #stopping = new AbortController()
  #asked = 0

  constructor({ WORKERS, TOOL_SERVER_SECRET }: Settings, log: Logger) {
    this.#count = WORKERS
    this.#log = log
    // The tools of a worker ask whichever worker comes next.
    this.#environment = { TOOL_SERVER_SECRET: TOOL_SERVER_SECRET ?? randomBytes(32).toString('hex') }
    cluster.setupPrimary({ exec: cliProgram, args: process.argv.slice(2) })
  }

  /** The address that is served, or the exit code of a worker that cannot. */
  async startFirst(): Promise<string | number> {
    const begun = await this.#begin()
    if ('exitCode' in begun) return begun.exitCode
    void this.#keep(begun.worker)
    return begun.url
  }

  async startRest(): Promise<void> {
    const begin = async (): Promise<void> => {
      const begun = await this.#begin()
      void this.#keep('worker' in begun ? begun.worker : undefined)
    }
    await Promise.all(Array.from({ length: this.#count - 1 }, begin))
  }

  /** Begins as many new ones, each before an old one ends. Where a new one cannot serve, the old ones go on. */
  async replaceAll(): Promise<void> {
    for (const old of [...this.#serving]) {
      const begun = await this.#begin()
      if (this.#stopping.signal.aborted) return
      if ('exitCode' in begun) {
        this.#log.error({ exitCode: begun.exitCode }, 'a new worker cannot serve: the old ones stay')
        return
      }
      void this.#keep(begun.worker)
      this.#serving.delete(old)
      tell(old, 'retire')
      await ended(old)
    }
    this.#log.info({ workers: this.#serving.size }, 'all workers are replaced')
  }

  /** What all tell that answer in time. */
  async figures(): Promise<ReturnType<typeof joinMetrics>> {
    const figures = await Promise.all([...this.#serving].map((worker) => this.#figuresOf(worker)))
    return joinMetrics(figures.filter((found) => found !== undefined))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    for (const worker of workers) worker.process.kill('SIGTERM')
    await Promise.all(workers.map(ended))
  }

  #begin(): Promise<Serving | Ended> {
    const worker = cluster.fork(this.#environment)
    return new Promise((resolve) => {
      worker.on('message', (message) => {
        const found = told.safeParse(message).data
        if (found && 'serving' in found) resolve({ worker, url: found.serving })
      })
      worker.once('exit', (code: number | null) => resolve({ exitCode: code ?? 1 }))
    })
  }

  /** Replaces a worker whenever it dies, or begins one where the first could not; ends where another took its place. */
  async #keep(first: Worker | undefined): Promise<void> {
    let worker = first
    for (let pause = shortestPause; ; pause = Math.min(2 * pause, longestPause)) {
      if (worker) {
        this.#serving.add(worker)
        const since = performance.now()
        const [exitCode, signal] = await once(worker, 'exit')
        if (this.#stopping.signal.aborted || !this.#serving.delete(worker)) return
        if (performance.now() - since > longestPause) pause = shortestPause
        this.#log.error({ pid: worker.process.pid, exitCode, signal }, `a worker died; another starts in ${pause} ms`)
      }
      await sleep(pause, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
      if (this.#stopping.signal.aborted) return
      const begun = await this.#begin()
      worker = 'worker' in begun ? begun.worker : undefined
    }
  }

  async #figuresOf(worker: Worker): Promise<ProcessMetrics | undefined> {
    const asked = ++this.#asked
    const { promise, resolve } = Promise.withResolvers<ProcessMetrics | undefined>()
    const hear = (message: unknown): void => {
      const answer = told.safeParse(message).data
      if (answer && 'figures' in answer && answer.asked === asked) resolve(answer.figures)
    }
    const impatience = setTimeout(resolve, longestTelling, undefined)
    worker.on('message', hear)
    tell(worker, { figures: asked })
    const figures = await promise
    clearTimeout(impatience)
    worker.off('message', hear)
    return figures
  }
}

function tell(worker: Worker, message: Asked): void {
  if (worker.isConnected()) worker.send(message)
}

async function ended(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const impatience = setTimeout(() => worker.process.kill('SIGKILL'), longestStop)
  await once(worker, 'exit')
  clearTimeout(impatience)
}

import cluster, { type Worker } from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinMetrics, type ProcessMetrics, serveMetrics } from '#api/http/prometheus.ts'
import { listen } from '#base/listen.ts'
import type { Logger } from '#base/log.ts'
import { createSerialQueue } from '#base/serial-queue.ts'
import { serverUrl } from '#base/socket-address.ts'
import type { Settings } from '#root/config.ts'
import { cliProgram } from './child-commands.ts'
import { createOutput } from './output.ts'
import { type ProcessContext, stopSignal } from './process-context.ts'
import { startPullLoop } from './pull-loop.ts'
import { describeService } from './welcome.ts'
import { type PrimaryMessage, workerMessage } from './worker.ts'

/** Pause before a dead worker is replaced; doubles while workers die within a minute. */
const minPauseMs = 1_000
const maxPauseMs = 60_000
/** Longer than a worker's grace period for responses. */
const stopTimeoutMs = 15_000
const figuresTimeoutMs = 2_000

interface Serving {
  readonly worker: Worker
  readonly url: string
}

/**
 * Serves from processes that share the port, pulls new generations for them and joins their
 * figures, until stopped. Replaces dead workers and, on SIGHUP, all, one after another. Returns the
 * first worker's exit code if it cannot serve.
 */
export async function serveByWorkers(settings: Settings, context: ProcessContext): Promise<number> {
  const output = createOutput(settings, context)
  const { log, isJson, stdout } = output
  const { METRICS_PORT, PULL_URL, WORKERS } = settings
  const stopRequested = stopSignal()
  await using workers = new WorkerPool(settings, log)
  // One worker starts first, so that invalid settings are reported once.
  const url = await workers.startFirst()
  if (typeof url === 'number') return url
  const app = serveMetrics(() => workers.figures())
  const metrics = METRICS_PORT === undefined ? undefined : await listen(app, settings, METRICS_PORT, 'METRICS_PORT')
  const pulling = PULL_URL === undefined ? undefined : await startPullLoop(settings, output)
  await workers.startRest()
  const reloads = createSerialQueue()
  process.on('SIGHUP', () => void reloads(() => workers.replaceAll()))
  const metricsUrl = metrics && `${serverUrl(metrics)}/metrics`
  if (isJson) log.info({ url, metrics_url: metricsUrl, workers: WORKERS }, `serving on ${url}`)
  else stdout.write(describeService(url, settings, metricsUrl, undefined))
  await stopRequested
  await pulling?.stop()
  metrics?.close()
  metrics?.closeAllConnections()
  return 0
}

class WorkerPool {
  readonly #count: number
  readonly #log: Logger
  readonly #environment: NodeJS.ProcessEnv
  readonly #serving = new Set<Worker>()
  readonly #stopping = new AbortController()
  #requests = 0

  constructor({ WORKERS, TOOL_SERVER_SECRET }: Settings, log: Logger) {
    this.#count = WORKERS
    this.#log = log
    // A worker's tools may call any other worker.
    this.#environment = { TOOL_SERVER_SECRET: TOOL_SERVER_SECRET ?? randomBytes(32).toString('hex') }
    cluster.setupPrimary({ exec: cliProgram, args: process.argv.slice(2) })
  }

  /** Resolves to the address, or the exit code of a worker that cannot serve. */
  async startFirst(): Promise<string | number> {
    const started = await this.#start()
    if (typeof started === 'number') return started
    void this.#supervise(started.worker)
    return started.url
  }

  async startRest(): Promise<void> {
    const begin = async (): Promise<void> => {
      const started = await this.#start()
      void this.#supervise(typeof started === 'number' ? undefined : started.worker)
    }
    await Promise.all(Array.from({ length: this.#count - 1 }, begin))
  }

  /**
   * Each new worker starts before an old one is retired. If one cannot serve, the old ones stay.
   */
  async replaceAll(): Promise<void> {
    for (const old of [...this.#serving]) {
      const started = await this.#start()
      if (this.#stopping.signal.aborted) return
      if (typeof started === 'number') {
        this.#log.error({ exitCode: started }, 'a new worker cannot serve: the old ones stay')
        return
      }
      void this.#supervise(started.worker)
      this.#serving.delete(old)
      send(old, 'retire')
      await waitForExit(old)
    }
    this.#log.info({ workers: this.#serving.size }, 'all workers are replaced')
  }

  /** Omits workers that do not answer in time. */
  async figures(): Promise<ReturnType<typeof joinMetrics>> {
    const figures = await Promise.all([...this.#serving].map((worker) => this.#requestFigures(worker)))
    return joinMetrics(figures.filter((found) => found !== undefined))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    for (const worker of workers) worker.process.kill('SIGTERM')
    await Promise.all(workers.map(waitForExit))
  }

  #start(): Promise<Serving | number> {
    const worker = cluster.fork(this.#environment)
    return new Promise((resolve) => {
      worker.on('message', (message) => {
        const found = workerMessage.safeParse(message).data
        if (found && 'serving' in found) resolve({ worker, url: found.serving })
      })
      worker.once('exit', (code: number | null) => resolve(code ?? 1))
    })
  }

  /**
   * Replaces a worker each time it dies, or starts one if `first` is undefined; ends once another
   * replaced it.
   */
  async #supervise(first: Worker | undefined): Promise<void> {
    let worker = first
    for (let pause = minPauseMs; ; pause = Math.min(2 * pause, maxPauseMs)) {
      if (worker) {
        this.#serving.add(worker)
        const since = performance.now()
        const [exitCode, signal] = await once(worker, 'exit')
        if (this.#stopping.signal.aborted || !this.#serving.delete(worker)) return
        if (performance.now() - since > maxPauseMs) pause = minPauseMs
        this.#log.error({ pid: worker.process.pid, exitCode, signal }, `a worker died; another starts in ${pause} ms`)
      }
      await sleep(pause, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
      if (this.#stopping.signal.aborted) return
      const started = await this.#start()
      worker = typeof started === 'number' ? undefined : started.worker
    }
  }

  async #requestFigures(worker: Worker): Promise<ProcessMetrics | undefined> {
    const request = ++this.#requests
    const { promise, resolve } = Promise.withResolvers<ProcessMetrics | undefined>()
    const hear = (message: unknown): void => {
      const answer = workerMessage.safeParse(message).data
      if (answer && 'figures' in answer && answer.request === request) resolve(answer.figures)
    }
    const timer = setTimeout(resolve, figuresTimeoutMs, undefined)
    worker.on('message', hear)
    send(worker, { figures: request })
    const figures = await promise
    clearTimeout(timer)
    worker.off('message', hear)
    return figures
  }
}

function send(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message)
}

async function waitForExit(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopTimeoutMs)
  await once(worker, 'exit')
  clearTimeout(timer)
}

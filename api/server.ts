import { CoinstrataError } from '#base/errors.ts'
import { createShutdown } from '#base/graceful-shutdown.ts'
import { listen } from '#base/listen.ts'
import { isLoopback, serverUrl } from '#base/socket-address.ts'
import { createApp } from './app.ts'
import { answerUnreadableRequests } from './http/listening-server.ts'
import { addStateGauges, type ProcessMetrics, serveMetrics } from './http/prometheus.ts'
import type { Monitor } from './http/request-monitor.ts'
import { readServiceAddress, serveBelow } from './http/service-address.ts'
import { openServices, type ServerOptions } from './services.ts'

/** Short-lived servers, as in tests, start no drawing threads, which take much memory. */
const drawingDelayMs = 15_000

export interface RunningServer {
  readonly url: string
  readonly metricsUrl: string | undefined
  /** For a process that joins the metrics of several. */
  readonly figures: () => Promise<ProcessMetrics>
  /**
   * Stops accepting requests; those in progress get some seconds. Idle connections are closed at
   * once, or after `idleMs`.
   */
  readonly close: (idleMs?: number) => Promise<void>
}

/** Serves a data folder until closed; nothing need be published yet. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { PORT, METRICS_PORT } = options
  const address = readServiceAddress(options)
  refuseOpenNetwork(options)
  const services = await openServices(options, address)
  const { monitor, operations, renders, version, sending, alertService } = services.app
  const refreshGauges = addStateGauges(monitor.registry, operations, version)
  const readMetrics = async (): Promise<Monitor['registry']> => {
    await refreshGauges()
    return monitor.registry
  }
  const shutdowns: ((idleMs?: number) => Promise<void>)[] = []
  let drawingTimer: NodeJS.Timeout | undefined
  const close = async (idleMs = 0): Promise<void> => {
    clearTimeout(drawingTimer)
    services.disconnectListeners()
    await Promise.all(shutdowns.map((shutdown) => shutdown(idleMs)))
    await services.close()
  }
  try {
    const app = createApp(services.app)
    const listener = serveBelow(address.basePath, app.handle)
    const server = await listen(listener, options, PORT, 'PORT', options.idleTimeoutMs, app.classes)
    shutdowns.push(createShutdown(server))
    answerUnreadableRequests(server)
    const metrics =
      METRICS_PORT === undefined
        ? undefined
        : await listen(serveMetrics(readMetrics), options, METRICS_PORT, 'METRICS_PORT')
    if (metrics) shutdowns.push(createShutdown(metrics))
    sending?.start()
    alertService.start()
    drawingTimer = setTimeout(() => renders.startThreads(), drawingDelayMs)
    return {
      url: serverUrl(server),
      metricsUrl: metrics && `${serverUrl(metrics)}/metrics`,
      figures: async () => (await readMetrics()).getMetricsAsJSON(),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function refuseOpenNetwork({ ACCESS, HOST, OPEN_TO_NETWORK }: ServerOptions): void {
  if (ACCESS !== 'open' || isLoopback(HOST) || OPEN_TO_NETWORK) return
  throw new CoinstrataError('invalid_configuration', `ACCESS=open would let everyone use the API at ${HOST}`, {
    cure: 'listen on 127.0.0.1, set ACCESS=tiered, or set OPEN_TO_NETWORK=true if that is what you want',
  })
}

import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Logger } from '#base/log.ts'
import type { Admission } from '#limits/admission.ts'
import { findCall } from './calls.ts'

let metricsOfProcess: Registry | undefined

/** Their observers and timers run until the process ends, so all servers of a process share them. */
function sharedMetrics(): Registry {
  if (!metricsOfProcess) {
    metricsOfProcess = new Registry()
    collectDefaultMetrics({ register: metricsOfProcess })
  }
  return metricsOfProcess
}

export class Monitor {
  readonly registry = Registry.merge([sharedMetrics()])
  readonly #duration: Histogram<'endpoint' | 'status'>
  readonly #requests: Counter<'tier'>

  constructor(admission: Admission, eventListeners: () => number) {
    this.#addGauge(
      'coinstrata_http_bytes_in_flight',
      'Bytes of long answers that callers have not read yet',
      () => admission.bytesInFlight,
    )
    this.#addGauge('coinstrata_event_listeners', 'Connections that listen to events', eventListeners)
    this.#duration = new Histogram({
      name: 'coinstrata_http_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its answer',
      labelNames: ['endpoint', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
      registers: [this.registry],
    })
    this.#requests = new Counter({
      name: 'coinstrata_http_requests_total',
      help: 'Requests by the tier of the caller',
      labelNames: ['tier'],
      registers: [this.registry],
    })
  }

  #addGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      collect() {
        this.set(read())
      },
      registers: [this.registry],
    })
  }

  recordRequest(endpoint: string, status: number, tier: string, seconds: number): void {
    this.#duration.observe({ endpoint, status }, seconds)
    this.#requests.inc({ tier })
  }
}

/**
 * Gives each request an id and common headers, and records its end. Requests are logged only at
 * level debug, so that the default log has no callers' addresses.
 */
export function monitorRequests(
  log: Logger,
  monitor: Monitor,
  headers: Readonly<Record<string, string>>,
): RequestHandler {
  const always = Object.entries(headers)
  return (request, response, next) => {
    const began = performance.now()
    const given = request.headers['x-request-id']
    const id = typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID()
    for (const [name, value] of always) response.setHeader(name, value)
    response.setHeader('X-Request-Id', id)
    response.once('close', () => {
      const call = findCall(request)
      const endpoint = call?.endpoint ?? 'none'
      const tier = call?.caller.tier ?? 'none'
      const milliseconds = performance.now() - began
      monitor.recordRequest(endpoint, response.statusCode, tier, milliseconds / 1000)
      if (!log.isLevelEnabled('debug')) return
      log.debug(
        {
          id,
          method: request.method,
          // The rest opens data, or ends mail.
          path: request.path.replace(/^\/(p|stop-mail|welcome)\/.*/, '/$1/…'),
          status: response.statusCode,
          ms: Math.round(milliseconds * 10) / 10,
          caller: call?.caller.name,
          ...(!response.writableFinished && { brokenOff: true }),
        },
        'request',
      )
    })
    next()
  }
}

import { setTimeout } from 'node:timers/promises'
import { quantile } from 'd3-array'
import { Piscina } from 'piscina'
import { Pool } from 'undici'

interface SteadyLoad {
  readonly origin: string
  /** Requested in turns. */
  readonly paths: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
}

export interface Latency {
  /** Milliseconds since requests were due. */
  readonly p50: number
  readonly p99: number
}

/** Excludes connecting and compilation. */
const warmUpSeconds = 1

/** This thread only measures, so only the server delays responses. */
export const createLoadThread = () =>
  new Piscina<SteadyLoad, Latency>({ filename: import.meta.url, minThreads: 1, maxThreads: 1 })

/**
 * Sends requests at a steady rate without waiting for responses; autocannon sends each second's at
 * once.
 */
export default async function send(load: SteadyLoad): Promise<Latency> {
  const { origin, paths, headers, perSecond, seconds, connections } = load
  const pool = new Pool(origin, { connections })
  const latencies: number[] = []
  const request = async (path: string, due: number): Promise<void> => {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
    await body.dump({ limit: 2 ** 30 })
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
    latencies.push(performance.now() - due)
  }

  const sendFor = async (duration: number): Promise<void> => {
    const requests: Promise<void>[] = []
    const begin = performance.now()
    for (let i = 0; i < perSecond * duration; i++) {
      const due = begin + (i * 1000) / perSecond
      const wait = due - performance.now()
      if (wait > 0) await setTimeout(wait)
      requests.push(request(paths[i % paths.length]!, due))
    }
    await Promise.all(requests)
  }
  await sendFor(warmUpSeconds)
  latencies.length = 0
  await sendFor(seconds)
  await pool.close()
  const at = (share: number): number => Math.round(10 * quantile(latencies, share)!) / 10
  return { p50: at(0.5), p99: at(0.99) }
}

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { loadOptionalPackage } from '#base/optional-package.ts'
import type { CountChange, SharedCounts, SharedTotals } from './shared-counts.ts'

type Client = ReturnType<typeof import('@redis/client')['createClient']>

/** In milliseconds. The start of a service waits so long for Redis; of silence there is little, as we ask four times a second. */
const timeoutsMs = { start: 2_000, connect: 2_000, idle: 5_000, maxRetryPause: 2_000 }
/** How long a process that has told nothing takes part in the shares. */
const presenceMs = 3_000

/** Braces, so that all keys stand in one slot of a cluster. */
const prefix = '{coinstrata}:'

/**
 * Adds to counters what a process counted, and returns how many processes tell each other, then the end and the sum of each window. A
 * window that is known there holds for all. What Redis lost is what the processes know at the least. What remains is forgotten with its window.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${presenceMs})
redis.call('PEXPIRE', KEYS[1], ${presenceMs})
local told = {redis.call('ZCARD', KEYS[1])}
for i = 2, #KEYS do
  local at = 4 * i - 6
  local ends, latest = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local hits, amount = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local stored = redis.call('HMGET', KEYS[i], 'ends', 'hits')
  local storedEnds = tonumber(stored[1] or '0')
  if storedEnds > now and storedEnds <= latest then
    if storedEnds == ends then hits = math.max(hits, tonumber(stored[2])) else hits = tonumber(stored[2]) end
    ends = storedEnds
  end
  hits = hits + amount
  redis.call('HSET', KEYS[i], 'ends', string.format('%.0f', ends), 'hits', string.format('%.0f', hits))
  redis.call('PEXPIREAT', KEYS[i], string.format('%.0f', ends))
  table.insert(told, ends)
  table.insert(told, hits)
end
return told`

const answerSchema = z.array(z.int())

/** Machines tell each other in a Redis what they counted; it holds nothing else, and may lose it. */
export class RedisCounts implements SharedCounts {
  readonly maxChanges = 1_000
  readonly #client: Client
  readonly #processId = randomUUID()

  private constructor(client: Client) {
    this.#client = client
  }

  /**
   * Loads the client, which is installed by those who use it, and waits a moment for Redis, which may come later. Throws
   * `invalid_configuration`.
   */
  static async open(url: string): Promise<RedisCounts> {
    const { createClient } = await loadOptionalPackage('@redis/client', 'Redis', () => import('@redis/client'))
    let client: Client
    try {
      client = createClient({
        url,
        disableOfflineQueue: true,
        disableClientInfo: true,
        maintNotifications: 'disabled',
        socket: {
          connectTimeout: timeoutsMs.connect,
          socketTimeout: timeoutsMs.idle,
          reconnectStrategy: (tries) => Math.min(100 * 2 ** Math.min(tries, 10), timeoutsMs.maxRetryPause),
        },
      })
    } catch (cause) {
      throw new CoinstrataError('invalid_configuration', 'REDIS_URL is not the address of a Redis server', {
        cause,
        cure: 'give redis://host:6379 or rediss://user:password@host:6379/0',
      })
    }
    // Each exchange that fails tells why.
    client.on('error', () => {})
    const connecting = client.connect().catch(() => undefined)
    await Promise.race([connecting, sleep(timeoutsMs.start, undefined, { ref: false })])
    return new RedisCounts(client)
  }

  async share(counts: readonly CountChange[]): Promise<SharedTotals> {
    const keys = [`${prefix}processes`, ...counts.map(({ policy, caller }) => `${prefix}${policy} ${caller}`)]
    const figures = counts.flatMap(({ windowEnds, latestEnd, known, amount }) => [windowEnds, latestEnd, known, amount])
    const answer = await this.#client.eval(script, { keys, arguments: [this.#processId, ...figures.map(String)] })
    const [processes = 1, ...told] = answerSchema.parse(answer)
    const totals = counts.map((_, i) => ({ windowEnds: told[2 * i] ?? 0, hits: told[2 * i + 1] ?? 0 }))
    return { totals, processes }
  }

  async close(): Promise<void> {
    this.#client.destroy()
  }
}

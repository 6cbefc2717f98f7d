import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { loadOptionalPackage } from '#base/optional-package.ts'
import type { CountChange, SharedTotals } from './shared-counts.ts'

/** Requests four times a second prevent `idle` while Redis answers. */
const timeoutsMs = { start: 2_000, connect: 2_000, idle: 5_000, maxRetryPause: 2_000 }
/** A process is a peer for this long after its last request. */
const presenceMs = 3_000

/** Braces put all keys into one hash slot of a cluster. */
const prefix = '{coinstrata}:'

/**
 * Adds changes; returns the number of processes, then end and total per window. Stored windows
 * replace the process's; counters lost by Redis restart at the total that the process knows.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${presenceMs})
redis.call('PEXPIRE', KEYS[1], ${presenceMs})
local totals = {redis.call('ZCARD', KEYS[1])}
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
  table.insert(totals, ends)
  table.insert(totals, hits)
end
return totals`

const answerSchema = z.array(z.int())

export type RedisCounts = Awaited<ReturnType<typeof openRedisCounts>>

/** Shares counts through Redis, which may lose them. Waits up to two seconds for it. */
export async function openRedisCounts(url: string) {
  const { createClient } = await loadOptionalPackage('@redis/client', 'Redis', () => import('@redis/client'))
  let client: ReturnType<typeof createClient>
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
  // `share` reports failures.
  client.on('error', () => {})
  const connecting = client.connect().catch(() => undefined)
  await Promise.race([connecting, sleep(timeoutsMs.start, undefined, { ref: false })])
  const processId = randomUUID()
  return {
    maxChanges: 1_000,

    /** Rejects if Redis cannot be reached; then nothing was shared. */
    async share(counts: readonly CountChange[]): Promise<SharedTotals> {
      const keys = [`${prefix}processes`, ...counts.map(({ policy, caller }) => `${prefix}${policy} ${caller}`)]
      const figures = counts.flatMap(({ windowEnds, latestEnd, known, amount }) => [
        windowEnds,
        latestEnd,
        known,
        amount,
      ])
      const answer = await client.eval(script, { keys, arguments: [processId, ...figures.map(String)] })
      const [processes = 1, ...values] = answerSchema.parse(answer)
      const totals = counts.map((_, i) => ({ windowEnds: values[2 * i] ?? 0, hits: values[2 * i + 1] ?? 0 }))
      return { totals, processes }
    },

    close: (): void => client.destroy(),
  }
}

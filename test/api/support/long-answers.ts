import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { publishedTable, rowsOf } from '#test/support/published.ts'
import { chain, keys, serveChain, server } from './chain-service.ts'

const decoders = {
  identity: (bytes: Buffer) => bytes,
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/** Reads an answer with a pause after each chunk, and returns it without the time at its end. */
async function read(target: string, encoding: keyof typeof decoders, pauseMs: number): Promise<string> {
  const headers = { ...keys.get('enterprise'), 'accept-encoding': encoding }
  const [response]: IncomingMessage[] = await once(get(server.url + target, { headers }), 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response!) {
    chunks.push(chunk)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  // The length of long ones is unknown: they are encoded while they are sent.
  if (!target.includes('5000')) expect(response!.headers['content-length']).toBeUndefined()
  return decoders[encoding](Buffer.concat(chunks))
    .toString()
    .replace(/,"timestamp":"[^"]*"\}$/, '}')
}

const answer = z.object({ data: z.array(z.unknown()), meta: z.object({ next_cursor: z.string().optional() }) })

/** Reads answers that are too long for the cache, in these encodings. */
export function testLongAnswers(encodings: readonly (keyof typeof decoders)[]): void {
  serveChain()

  test(`answers too long for the cache are whole, however slowly they are read, ${encodings.join(', ')}`, async () => {
    const hourly = await rowsOf(
      `SELECT id FROM ${publishedTable(chain.dataDir, 'catalogue')} WHERE intervals::VARCHAR LIKE '%1h%' ORDER BY id LIMIT 31`,
    )
    const target = `/v1/series?interval=1h&metrics=${hourly.join()}&limit=`
    const whole = await read(`${target}10000`, 'identity', 0)
    // Shorter ones are joined and cached.
    const first = answer.parse(JSON.parse(await read(`${target}5000`, 'identity', 0)))
    const second = answer.parse(JSON.parse(await read(`${target}5000&cursor=${first.meta.next_cursor}`, 'identity', 0)))
    expect([...first.data, ...second.data]).toEqual(answer.parse(JSON.parse(whole)).data)
    for (const encoding of encodings) {
      const slow = read(`${target}10000`, encoding, 20)
      // The memory of what is read is used for the answers to others.
      const fast = await read(`${target}9999`, encoding, 0)
      expect((await slow) === whole).toBe(true)
      expect(answer.parse(JSON.parse(fast)).data).toHaveLength(9_999)
    }
    const csv = await read(`${target}10000&format=csv`, 'identity', 0)
    expect(csv.split('\r\n')).toHaveLength(10_002)
    expect(await read(`${target}10000&format=csv`, 'gzip', 20)).toBe(csv)
  })
}

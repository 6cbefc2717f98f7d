import { createReadStream, createWriteStream, existsSync, renameSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { networks } from '#ingest/chain/networks.ts'
import { readUtxoDump } from '#ingest/chain/utxo-dump.ts'
import { coinBytes, compactSize, dumpHeader, type MadeCoin } from '#test/support/made-dump.ts'
import { Random } from '#test/support/random.ts'
import { measure, peakMegabytes, print } from './report.ts'

const coins = 20_000_000
const tip = 920_000
/** Of a hundred mainnet coins in 2026, about: P2WPKH, P2PKH, P2TR, P2SH, P2WSH, keys and others. */
const scripts: readonly (readonly [share: number, size: number, bytes: number])[] = [
  [40, 28, 22],
  [30, 0, 20],
  [20, 40, 34],
  [8, 1, 20],
  [1, 40, 34],
  [1, 2, 32],
]

const mixed = scripts.flatMap(([share, ...script]) => Array.from({ length: share }, () => script))

/** Reads, adds up and hashes a synthetic dump like `audit --coins`. */
export async function benchCoins(folder: string): Promise<void> {
  const file = path.join(folder, 'utxo.dat')
  if (!existsSync(file)) {
    console.log('making a dump of 20 million coins (two minutes, 1 GB, once)')
    await pipeline(Readable.from(makeChunks()), createWriteStream(`${file}.part`))
    renameSync(`${file}.part`, file)
  }
  console.log('\ncoins: 20 million unspent outputs from a file')
  const before = peakMegabytes()
  const slots = Int32Array.from({ length: tip + 1 }, (_, height) => Math.floor(height / 148))
  const { seconds, cpuSeconds, result } = await measure(() =>
    readUtxoDump(createReadStream(file, { highWaterMark: 1 << 20 }), networks.mainnet, slots, file),
  )
  const millions = (perSecond: number): string => `${(perSecond / 1e6).toFixed(2)} million coins/s`
  print('read, added up and hashed', millions(result.coins / seconds), {
    beside: `${cpuSeconds.toFixed(1)} CPU-seconds, ${(peakMegabytes() - before).toFixed(0)} MB of memory`,
    aim: '2.5 million, 300 MB',
  })
}

function* makeChunks(): Generator<Buffer> {
  const random = new Random(39)
  yield dumpHeader(networks.mainnet.magic, Buffer.alloc(32), coins)
  let parts: Buffer[] = []
  for (let made = 0; made < coins; ) {
    const count = Math.min(random.pick([1, 1, 1, 1, 2, 3]), coins - made)
    const txid = Buffer.alloc(32)
    txid.writeUInt32BE(made)
    parts.push(txid, Buffer.from(compactSize(count)))
    for (let index = 0; index < count; index++) parts.push(coinBytes(makeCoin(random, index)))
    made += count
    if (parts.length < 50_000) continue
    yield Buffer.concat(parts)
    parts = []
  }
  yield Buffer.concat(parts)
}

function makeCoin(random: Random, index: number): MadeCoin {
  const [size, bytes] = mixed[random.between(0, mixed.length - 1)]!
  const sats = Math.floor(10 ** (2 + 7 * random.next()))
  const height = tip - Math.floor(tip * random.next() ** 3)
  return { index, height, coinbase: random.next() < 0.02, sats, script: [size, Buffer.alloc(bytes, index + 1)] }
}

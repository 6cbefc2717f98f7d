import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkpointsFolder, segmentsFolder } from '#compute/data-folder.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { simulatedSource } from '#compute/scan/simulated-node.ts'
import { networks } from '#ingest/chain/networks.ts'
import { tables } from '#ingest/market/observations.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import { simulatedPrices } from '#ingest/simulated/prices.ts'
import { withSession } from '#sql/session.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { computeFolder, updateFolder } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import { trials } from '#test/support/trials.ts'

const folder = temporaryFolder('cuts')
afterAll(() => rmSync(folder, { recursive: true }))

/** Random; set CUTS_SEED to the seed in the name of a test to repeat it. */
const firstSeed = Number(process.env.CUTS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const seeds = Array.from({ length: trials(1, 2) }, (_, i) => firstSeed + i)

const session = <T>(work: Parameters<typeof withSession<T>>[1]): Promise<T> =>
  withSession({ temporaryFolder: path.join(folder, 'tmp') }, work)

describe.each(seeds)('a chain that grows by chance (CUTS_SEED=%i)', { timeout: 600_000 }, (seed) => {
  it('gives with reorganisations, restated prices and lost parts what all of it gives at once', async () => {
    const random = new Random(seed)
    const dataDir = path.join(folder, `made-${seed}`)
    let [height, fork]: [number, number | undefined] = [random.between(40, 120), undefined]
    const blocksFolder = async (): Promise<string> => {
      const blocks = path.join(folder, `blocks-${height}-${fork ?? ''}`)
      if (!existsSync(blocks)) await writeChain(blocks, makeChain(height + 1, fork), height)
      return blocks
    }
    await storePrice(
      dataDir,
      Array.from({ length: 130 }, (_, day) => [day, 0.5 + 9 * random.next()]),
    )
    await updateFolder(dataDir, await blocksFolder())
    const steps = [`${height} blocks`]
    const changes: readonly [string, () => void | Promise<void>][] = [
      [
        'more blocks',
        () => {
          height += random.between(1, 100)
        },
      ],
      [
        'a reorganisation',
        () => {
          fork = height - Math.min(height - 5, random.between(1, 200))
          height += random.between(1, 20)
        },
      ],
      ['a restated price', () => storePrice(dataDir, [[random.between(0, Math.floor(height / 3)), 9 * random.next()]])],
      ['a lost part', () => loseOne(dataDir, random)],
    ]
    for (let step = 0; step < trials(2, 5); step++) {
      const [what, change] = changes[random.between(0, changes.length - 1)]!
      // Without anything new nothing would be published.
      height++
      await change()
      steps.push(`${what}: ${height} blocks, fork ${fork}`)
      await updateFolder(dataDir, await blocksFolder())
    }
    const fresh = path.join(folder, `fresh-${seed}`)
    cpSync(path.join(dataDir, 'raw/market'), path.join(fresh, 'raw/market'), { recursive: true })
    await updateFolder(fresh, await blocksFolder())
    expect(await tableDifferences(dataDir, fresh), steps.join('; ')).toEqual({})
  })

  it('gives on the simulated network what all of it gives at once', async () => {
    const random = new Random(seed)
    const [dataDir, fresh] = ['simulated', 'simulated-fresh'].map((name) => path.join(folder, `${name}-${seed}`))
    const cuts = Array.from({ length: trials(2, 4) }, () => random.between(30, trials(200, 400))).sort((a, b) => a - b)
    for (const days of cuts) await growSimulated(dataDir!, days)
    await growSimulated(fresh!, cuts.at(-1)!)
    expect(readdirSync(checkpointsFolder(dataDir!)).length).toBeGreaterThan(0)
    expect(await tableDifferences(dataDir!, fresh!), `cut after ${cuts.join(', ')} days`).toEqual({})
  })
})

/** Stores closes by days counted from the first. */
function storePrice(dataDir: string, closes: readonly (readonly [day: number, close: number])[]): Promise<void> {
  const firstDay = Date.parse('2011-02-02') / 86_400_000
  const rows = closes.map(([day, close]) => ({
    date: firstDay + day,
    open: close,
    high: close,
    low: close,
    close,
    volume_btc: null,
    volume_usd: null,
  }))
  return session(async (connection) => {
    await appendObservations(connection, dataDir, tables.prices, 'import', rows, Date.now())
  })
}

/**
 * Removes a segment, all checkpoints or what is known of headers, or flips a bit in a file of one
 * of them.
 */
function loseOne(dataDir: string, random: Random): void {
  const of = [segmentsFolder(dataDir), checkpointsFolder(dataDir), path.join(dataDir, 'raw/headers')]
  const place = of[random.between(0, 2)]!
  const names = existsSync(place) ? readdirSync(place, { recursive: true, encoding: 'utf8' }).sort() : []
  // A file removed by the step before cannot be removed again.
  if (names.length === 0) return
  const lost = path.join(place, names[random.between(0, names.length - 1)]!)
  if (random.next() < 0.5 || statSync(lost).isDirectory()) {
    rmSync(lost, { recursive: true })
    return
  }
  const bytes = readFileSync(lost)
  bytes[random.between(0, bytes.length - 1)]! ^= 1 << random.between(0, 7)
  writeFileSync(lost, bytes)
}

/** Brings a folder of a chain that lives through all eras in 400 days to a day of it. */
async function growSimulated(dataDir: string, days: number): Promise<void> {
  const endDay = Date.parse('2009-01-03') / 86_400_000 + days
  await makeSimulatedChain({ folder: path.join(dataDir, 'raw/simulated'), seed: 1, endDay, size: 'tiny' })
  await session((connection) => writeSimulatedPrices(connection, dataDir, simulatedPrices({ seed: 1, endDay })))
  const progress = { say() {}, scanned() {} }
  await ingest({
    dataDir,
    network: networks.simulated,
    source: simulatedSource(dataDir),
    progress,
    addresses: 'sample',
  })
  await computeFolder(dataDir, '')
}

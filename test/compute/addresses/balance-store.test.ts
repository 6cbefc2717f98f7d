import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AddressEvents } from '#compute/addresses/address-events.ts'
import { packEvents } from '#compute/addresses/packed-events.ts'
import { ingest } from '#compute/scan/ingest.ts'
import { readScannedBlocks, readScannedChain, scannedUnits } from '#compute/scan/scanned-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import {
  blocks,
  type Choices,
  compute,
  expected,
  expectRows,
  filesOf,
  folder,
  merged,
  openStore,
  scan,
  scanned,
  storedIn,
  useBalanceStores,
} from './support/balance-stores.ts'

useBalanceStores()

describe('the measures of all addresses', () => {
  it.each<[string, Choices]>([['a few events at a time', { maxEvents: 60 }]])(
    'are the same, merged %s',
    async (name, choices) => {
      const dataDir = path.join(folder, name)
      cpSync(scanned, dataDir, { recursive: true })
      expectRows(await compute(dataDir, choices), expected)
      // Nothing is merged twice.
      expectRows(await compute(dataDir, choices), expected)
    },
  )

  it('are the same if a scan merges the first days before it knows the last ones', async () => {
    const dataDir = path.join(folder, 'meanwhile')
    const stores = [openStore(dataDir, { maxEvents: 100 })]
    const source = { kind: 'files', blocksFolder: blocks, endpoint: undefined, isEndpointRequired: false } as const
    const progress = { say: () => {}, scanned: () => {} }
    const ingested = await ingest({
      dataDir,
      network: networks.regtest,
      source,
      progress,
      addresses: 'all',
      stores,
    })
    expect(existsSync(path.join(storedIn(dataDir), 'saved.json'))).toBe(true)
    expect(filesOf(dataDir, /\.events$/).length).toBeLessThan(ingested.scanned.segments.length)
    expectRows(await compute(dataDir), expected)
  })
})

it.each([false, true])('an address that spends more than it holds is refused, in threads: %s', async (inThreads) => {
  const dataDir = path.join(folder, `overspent-${inThreads}`)
  const day = 20_000
  const events = new AddressEvents()
  events.add(day, day, 1, 0x2345_6789, 7, 5e8)
  events.add(day + 1, day, 1, 0x2345_6789, 7, -5e8 - 1)
  const store = openStore(dataDir, { inThreads })
  store.write('one', packEvents(events.words))
  const days = { hashes: new Uint8Array(32 * 4), days: Int32Array.of(day, day + 1, day + 2, day + 3) }
  const basis = { price: new Float64Array(3), cost: new Float64Array(3) }
  const computed = store.compute(days, [{ key: 'one', firstHeight: 0, lastHeight: 3 }], basis, day + 2)
  await expect(computed).rejects.toThrow(new RangeError('on 2024-10-05 an address holds -1 satoshis'))
  await computed.catch((error: unknown) => expect(error).toBeInstanceOf(RangeError))
})

describe('a change in what the balances follow from', () => {
  it.each([
    ['saved.json', /^saved\.json$/, 0.5],
    ['a file of addresses with coins', /-funded$/, 0.3],
    ['a file of addresses without coins', /-(?:emptied|newest)$/, 0.6],
    ['the sums', /-sums$/, 0.5],
    ['the measures', /-rows$/, 0.99],
    ['the numbers of events', /\.events$/, 0],
    ['the events', /\.events$/, 0.99],
  ])('is found if it is a flipped bit in %s', async (name, pattern, share) => {
    const dataDir = path.join(folder, `flip in ${name}`)
    cpSync(merged, dataDir, { recursive: true })
    const sizeOf = (name: string): number => statSync(path.join(storedIn(dataDir), name)).size
    const file = filesOf(dataDir, pattern).findLast((one) => sizeOf(one) > 0)
    if (file === undefined) return expect.fail(filesOf(dataDir, /./).join(' '))
    const bytes = readFileSync(path.join(storedIn(dataDir), file))
    bytes[Math.floor(share * bytes.length)]! ^= 4
    writeFileSync(path.join(storedIn(dataDir), file), bytes)
    await expect(compute(dataDir)).rejects.toMatchObject({ code: 'data_not_ready' })
    const chainOf = readScannedChain(dataDir)!
    const days = readScannedBlocks(dataDir, chainOf)
    expect(openStore(dataDir).isComplete(days, scannedUnits(chainOf))).toBe(false)
  })

  it('is corrected by the next scan, which reads all blocks if a merged file was damaged', async () => {
    const dataDir = path.join(folder, 'flip in the measures')
    await scan(dataDir)
    expectRows(await compute(dataDir), expected)
  })
})

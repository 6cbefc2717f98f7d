import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Block, Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isoDate, secondsPerDay, secondsPerHour } from '#base/days.ts'
import type { PriceSource } from '#contract/pricing.ts'
import { networks } from '#ingest/chain/networks.ts'
import { importPrices } from '#ingest/market/import-prices.ts'
import { Random } from '#ingest/simulated/random.ts'
import { currentGeneration } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { buildTransaction, type Coin, openScript, type Payment, spending } from '#test/support/coins.ts'
import { commitToWitnesses, type MadeBlock, makeChain, writeChain } from '#test/support/made-chain.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'

/**
 * A chain of the main network, whose payments of round amounts tell its prices: no other network
 * has prices of its own.
 */

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-priced-chain-'))
const { mainnet, regtest } = networks
const original = { ...mainnet }
const { genesisHash, magic, easiestBits } = regtest
beforeAll(() => void Object.assign(mainnet, { genesisHash, magic, easiestBits }))
afterAll(() => {
  Object.assign(mainnet, original)
  rmSync(folder, { recursive: true })
})

const dayCount = 10
const genesis = makeChain(0)[0]!
const firstDay = Math.ceil(genesis.block.timestamp / secondsPerDay)
const startTime = firstDay * secondsPerDay
/** It rises and falls by a few percent a day. */
const priceAt = (time: number): number => 10_000 * Math.exp(Math.sin((time - startTime) / secondsPerHour / 30) / 4)
const closeOf = (day: number): number => priceAt((day + 1) * secondsPerDay - secondsPerHour)

const random = new Random(7, 'priced chain')
const roundAmounts = [5, 10, 10, 20, 20, 25, 50, 50, 100, 100, 100, 200, 200, 500, 1000, 2000]

/** Every fifth amount is round in dollars. */
function paymentAt(time: number): Payment {
  const isRound = random.chance(0.2)
  const usd = isRound ? roundAmounts[random.integer(roundAmounts.length)]! : 150 * Math.exp(1.6 * random.normal())
  const sats = Math.round((usd * 1e8 * (isRound ? 1 + 0.0008 * random.normal() : 1)) / priceAt(time))
  return { lock: 'wsh', sats: Math.max(2000, sats), script: openScript('wsh') }
}

interface OwnedCoin extends Coin {
  readonly day: number
  spentDay?: number
}

/** A block each hour; also returns all coins that there ever were. */
function makePricedChain(): { chain: MadeBlock[]; coins: OwnedCoin[] } {
  const chain = [genesis]
  const coins: OwnedCoin[] = []
  const unspent: OwnedCoin[] = []
  for (let height = 1; height <= 24 * dayCount + 2; height++) {
    const time = startTime + (height - 1) * secondsPerHour + 60
    const day = Math.floor(time / secondsPerDay)
    /** A coin of at least this value from before this day. */
    const take = (minSats: number, before: number): OwnedCoin | undefined => {
      for (let attempt = 0; attempt < 60 && unspent.length > 0; attempt++) {
        const at = random.integer(unspent.length)
        const coin = unspent[at]!
        if (coin.sats < minSats || coin.day >= before) continue
        unspent[at] = unspent.at(-1)!
        unspent.pop()
        return coin
      }
      return undefined
    }
    const spendings = Array.from({ length: 80 }, (_, i) => {
      const hasTwoOutputs = i < 50
      const payments = Array.from({ length: hasTwoOutputs ? 1 : 9 }, () => paymentAt(time))
      const sats = payments.reduce((sum, payment) => sum + payment.sats, 0)
      const coin = take(sats + 3000, hasTwoOutputs ? day : day + 1)
      if (!coin) return []
      coin.spentDay = day
      const all = [...payments, { lock: 'wsh', sats: coin.sats - sats, script: openScript('wsh') } as const]
      return [spending(buildTransaction([coin], all), [coin], all, height)]
    }).flat()
    const coinbase = new Transaction()
    coinbase.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, Uint8Array.of(2, height & 0xff, height >> 8))
    const parts = Array.from({ length: 10 }, () => regtest.initialSubsidySats / 10)
    for (const sats of parts) coinbase.addOutput(openScript('wsh'), BigInt(sats))
    const block = new Block()
    Object.assign(block, {
      version: 4,
      prevHash: chain[height - 1]!.block.getHash(),
      timestamp: time,
      bits: easiestBits,
    })
    block.transactions = [coinbase, ...spendings.map(({ transaction }) => transaction)]
    commitToWitnesses(block.transactions)
    block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
    while (!block.checkProofOfWork()) block.nonce++
    const script = openScript('wsh')
    chain.push({ block, undo: spendings.map(({ spent }) => spent.map((coin) => ({ ...coin, script }))) })
    const txid = coinbase.getId()
    const mined = parts.map((sats, index): Coin => ({ txid, index, sats, lock: 'wsh', height, coinbase: true }))
    const made = [...mined, ...spendings.flatMap((one) => one.made)].map((coin): OwnedCoin => ({ ...coin, day }))
    coins.push(...made)
    unspent.push(...made)
  }
  return { chain, coins }
}

const { chain, coins } = makePricedChain()

/**
 * Publishes these days, which end with the first block of the next one, in a folder that knows the
 * prices of the first `imported` days.
 */
async function publish(
  dataDir: string,
  days: number,
  priceSource: PriceSource,
  { imported = 4, anchorError = 1 } = {},
): Promise<void> {
  const blocks = path.join(folder, 'blocks')
  rmSync(blocks, { recursive: true, force: true })
  await writeChain(blocks, chain, 24 * days + 1)
  mkdirSync(dataDir, { recursive: true })
  const csv = path.join(folder, 'early.csv')
  const early = Array.from({ length: imported }, (_, i) => `${isoDate(firstDay + i)},${closeOf(firstDay + i)}`)
  writeFileSync(csv, ['date,close', ...early, ''].join('\n'))
  await withSession({ temporaryFolder: path.join(folder, 'tmp'), threads: 1 }, (connection) =>
    importPrices(connection, dataDir, csv),
  )
  const priceAnchor = { day: firstDay + 2, price: anchorError * priceAt((firstDay + 2) * secondsPerDay) }
  await updateFolder(dataDir, blocks, undefined, {
    network: 'mainnet',
    pricing: 'daily',
    priceSource,
    priceAnchor,
  })
}

const read = (dataDir: string) =>
  rowsOf(
    `SELECT date, o.price, p.close, realized_cap, sopr, price_onchain FROM ${publishedTable(dataDir, 'price_onchain')} AS o
     JOIN ${publishedTable(dataDir, 'prices')} AS p USING (date)
     JOIN ${publishedTable(dataDir, 'metrics_valuation')} USING (date)
     JOIN ${publishedTable(dataDir, 'metrics_profit_and_loss')} USING (date)
     JOIN ${publishedTable(dataDir, 'metrics_market')} USING (date) ORDER BY date`,
  )

it('costs all coins at the prices of its own payments, whether in one run or in two', async () => {
  const dataDir = path.join(folder, 'continued')
  await publish(dataDir, dayCount - 3, 'onchain')
  await publish(dataDir, dayCount, 'onchain')
  const rows = await read(dataDir)
  expect(rows).toHaveLength(dayCount)
  const closes = rows.map(([, , close]) => Number(close))
  for (const [i, [date, price, close, realizedCap, , metric]] of rows.entries()) {
    const day = firstDay + i
    expect(date).toBe(isoDate(day))
    expect(metric).toBe(price)
    // Imported prices count before those of the chain.
    if (i < 4) expect(Number(close)).toBe(closeOf(day))
    else {
      expect(close).toBe(price)
      expect(Math.abs(Number(price) / closeOf(day) - 1)).toBeLessThan(0.004)
    }
    const held = coins.filter((coin) => coin.day <= day && !(coin.spentDay !== undefined && coin.spentDay <= day))
    const cost = held.reduce((sum, coin) => sum + (coin.sats / 1e8) * closes[coin.day - firstDay]!, 0)
    expect(Math.abs(Number(realizedCap) - cost)).toBeLessThanOrEqual(1e-9 * cost)
  }
  const fresh = path.join(folder, 'fresh')
  await publish(fresh, dayCount, 'onchain')
  expect(await read(fresh)).toEqual(rows)
})

it('publishes no price, rather than a wrong one, from an anchor twice as high', async () => {
  const dataDir = path.join(folder, 'wrong')
  await publish(dataDir, dayCount, 'markets', { imported: dayCount, anchorError: 2 })
  // More payments outweigh such an anchor: test/compute/price-onchain/onchain-prices.test.ts.
  expect((await read(dataDir)).map(([, price]) => price)).toEqual(Array(dayCount).fill(null))
  expect(currentGeneration(dataDir)?.generation.prices).not.toHaveProperty('onchain_gap')
})

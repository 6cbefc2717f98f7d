import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { address, Block } from 'bitcoinjs-lib'
import { isoDate } from '#base/days.ts'
import { withDataFolder } from '#compute/data-folder.ts'
import { readLabels } from '#compute/labels/label-files.ts'
import { writeToday } from '#compute/live/write-today.ts'
import { buildGeneration } from '#compute/publish/build-generation.ts'
import { ingest } from '#compute/scan/ingest.ts'
import type { Column, Value } from '#contract/tables/column.ts'
import { today } from '#contract/tables/today.ts'
import { networks } from '#ingest/chain/networks.ts'
import { type Observation, tables } from '#ingest/market/observations.ts'
import { writeSimulatedPrices } from '#ingest/market/prices.ts'
import { appendObservations } from '#ingest/market/store.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import { digestFile } from '#sql/file-digest.ts'
import { currentGeneration } from '#sql/generation.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { writeParquet } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { CoreFile } from '#test/support/core-file.ts'
import { fixture } from '#test/support/fixture.ts'

/** 2009-01-03; more days than the history of tier free, so that it ends within the chain. */
export const firstDay = 14_247
export const chainDays = 430
export const lastDay = firstDay + chainDays - 1
const firstPriced = 40
/** The markets of derivatives, funds and treasuries begin so many days before the end. */
const marketDays = 90

export interface ServedChain {
  readonly dataDir: string
  readonly remove: () => void
}

/**
 * A published generation with every table that there can be: a simulated chain, made-up prices and
 * markets. Each test file gets a copy that it may write to.
 */
export async function makeServedChain(): Promise<ServedChain> {
  const made = await fixture('served-chain', publishChain)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-served-'))
  const dataDir = path.join(folder, 'data')
  cpSync(path.join(made, 'data'), dataDir, { recursive: true, verbatimSymlinks: true })
  return { dataDir, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }) }
}

/**
 * An earlier generation, of the day before, in which one metric (mvrv) was a hundredth higher, and
 * measures of addresses had intervals.
 */
export async function addEarlierGeneration(dataDir: string, id = '20000101T000000000Z-0-00000000'): Promise<string> {
  const { folder, generation } = currentGeneration(dataDir)!
  const earlier = path.join(path.dirname(folder), id)
  cpSync(folder, earlier, { recursive: true })
  const changes = {
    metrics_valuation: '1.01 * mvrv AS mvrv',
    address_balances: '0.9 * value AS low, 1.2 * value AS high',
  }
  const changed = new Map<string, object>()
  for (const [table, columns] of Object.entries(changes)) {
    const file = `${table}.parquet`
    await withSession({ temporaryFolder: path.join(dataDir, 'temporary') }, (connection) =>
      writeParquet(
        connection,
        path.join(earlier, file),
        `SELECT * REPLACE (${columns}) FROM '${path.join(folder, file)}'`,
      ),
    )
    changed.set(table, { rows: 1, ...(await digestFile(path.join(earlier, file))) })
  }
  const tables = { ...generation.tables, ...Object.fromEntries(changed) }
  const described = {
    ...generation,
    id,
    created_at: '2000-01-01T00:00:00.000Z',
    last_date: isoDate(lastDay - 1),
    tables,
  }
  writeIntactJson(path.join(earlier, 'generation.json'), described)
  return id
}

async function publishChain(folder: string): Promise<void> {
  const dataDir = path.join(folder, 'data')
  await makeSimulatedChain({ folder, seed: 11, endDay: lastDay + 1, size: 'tiny' })
  const work = async (connection: DuckDBConnection) => {
    await writeSimulatedPrices(connection, dataDir, prices())
    await appendObservations(connection, dataDir, tables.funding, 'simulated', funding(), now)
    await appendObservations(connection, dataDir, tables.open_interest, 'simulated', openInterest(), now)
    await appendObservations(connection, dataDir, tables.etf, 'simulated', funds(), now)
    await appendObservations(connection, dataDir, tables.treasuries, 'simulated', treasuries(), now)
    const blocksFolder = path.join(folder, 'blocks')
    mkdirSync(path.join(dataDir, 'labels'), { recursive: true })
    writeFileSync(path.join(dataDir, 'labels', 'own.csv'), labelList(blocksFolder))
    const labels = readLabels(dataDir, 'simulated')
    const source = { kind: 'files', blocksFolder, endpoint: undefined, isEndpointRequired: false } as const
    const { scanned } = await ingest({
      dataDir,
      network: networks.simulated,
      source,
      progress: { say: () => {}, scanned: () => {} },
      addresses: 'all',
      labels,
    })
    const choices = { pricing: 'hourly', fine: true, addresses: 'all', labels, publishLabels: true } as const
    await buildGeneration(connection, dataDir, scanned, choices)
    await writeToday(connection, dataDir, openDay(lastDay + 1))
  }
  await withDataFolder(dataDir, () => withSession({ temporaryFolder: path.join(folder, 'temporary') }, work))
}

/** The first addresses of the chain, three of each label. */
function labelList(blocksFolder: string): string {
  const { bytes, records } = new CoreFile(blocksFolder, 'blk00000.dat')
  const outputs = records.flatMap(({ offset, size }) =>
    Block.fromBuffer(bytes.subarray(offset, offset + size)).transactions!.flatMap(({ outs }) => outs),
  )
  const found = new Set(
    outputs.filter(({ script }) => script.length === 25).map(({ script }) => address.fromOutputScript(script)),
  )
  const names = ['Fund', 'Exchange', '"Bank, NA/A+B"']
  const lines = [...found].slice(0, 9).map((text, i) => `${text},${names[i % 3]}\n`)
  return `address,name\n${lines.join('')}`
}

/** Some values of a day, as a row of `today`. */
export function openDay(day: number): Record<string, Value<Column>> {
  const values: Record<string, Value<Column>> = {}
  for (const [i, [name, { type }]] of Object.entries<Column>(today.columns).entries()) {
    if (type === 'VARCHAR') values[name] = `made up ${i}`
    else if (type === 'TIMESTAMP') values[name] = new Date(day * dayLength + 1000 * i).toISOString()
    else if (type === 'DOUBLE') values[name] = i + 0.5
    else values[name] = i
  }
  return { ...values, date: isoDate(day), provisional: true }
}

const dayLength = 86_400_000
const now = (lastDay + 2) * dayLength

function prices() {
  return Array.from({ length: chainDays - firstPriced }, (_, i) => {
    const close = 1 + 0.01 * i + 0.4 * Math.sin(i / 9)
    return {
      day: firstDay + firstPriced + i,
      open: close,
      high: close * 1.02,
      low: close * 0.97,
      close,
      volume: 1000 + i,
    }
  })
}

const exchanges = ['binance', 'bybit', 'okx', 'deribit']
const marketDates = Array.from({ length: marketDays }, (_, i) => lastDay - marketDays + 1 + i)
const perExchange = <Row>(make: (exchange: string, day: number, place: number) => Row): Row[] =>
  exchanges.flatMap((exchange, place) => marketDates.map((day) => make(exchange, day, place)))

const funding = (): Observation<'funding'>[] =>
  [0, 8, 16].flatMap((hour) =>
    perExchange((exchange, day, place) => ({
      exchange,
      instrument: 'BTCUSDT',
      time: day * dayLength + hour * 3_600_000,
      rate: 0.0001 * (place + 1) + 0.000001 * (day % 7),
      interval_hours: 8,
    })),
  )

const openInterest = (): Observation<'open_interest'>[] =>
  perExchange((exchange, day, place) => ({
    exchange,
    instrument: 'BTCUSDT',
    time: day * dayLength + 23 * 3_600_000,
    amount: 1000 * (place + 1) + (day % 11),
    unit: 'btc' as const,
  }))

const funds = (): Observation<'etf'>[] =>
  ['IBIT', 'FBTC', 'GBTC'].flatMap((ticker, place) =>
    marketDates.map((date, i) => ({
      ticker,
      date,
      holdings_btc: 5000 * (place + 1) + 10 * i,
      shares_outstanding: null,
      nav_usd: 40,
      market_price_usd: 40.2,
      aum_usd: null,
      flow_usd: null,
      premium: null,
    })),
  )

const treasuries = (): Observation<'treasuries'>[] =>
  [1, 2, 3].flatMap((entity_id) =>
    [0, 30, 60].map((i) => ({
      entity_id,
      date: marketDates[i]!,
      holdings_btc: 100 * entity_id + i,
      change_btc: null,
      source_url: `https://example.org/${entity_id}/${i}`,
    })),
  )

import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseDay } from '#base/days.ts'
import { type ImportKind, importObservations } from '#ingest/market/import-observations.ts'
import { tables } from '#ingest/market/observations.ts'
import { readObservations } from '#ingest/market/store.ts'
import { dataDir as folder, freshDataFolders, session } from './data-folder.ts'

const now = Date.parse('2026-11-20T12:00Z')
freshDataFolders()

function importLines(kind: ImportKind, lines: readonly string[]) {
  const file = path.join(folder, 'file.csv')
  writeFileSync(file, lines.join('\n'))
  return session(async (connection) => importObservations(connection, folder, kind, file, now))
}

const imported = { source: 'import', fetchedAt: now }

test('funds are imported with what the file knows of them', async () => {
  const counts = await importLines('etf', [
    'ticker,date,holdings_btc,flow_usd',
    'FBTC,2026-11-18,200000.5,-1500000',
    'FBTC,2026-11-19,,',
  ])
  expect(counts).toEqual({ added: 2, corrected: 0, unchanged: 0 })
  const nothing = { premium: null, shares_outstanding: null, nav_usd: null, market_price_usd: null, aum_usd: null }
  expect(await session((connection) => readObservations(connection, folder, tables.etf))).toEqual([
    {
      ticker: 'FBTC',
      date: parseDay('2026-11-18'),
      holdings_btc: 200_000.5,
      flow_usd: -1_500_000,
      ...nothing,
      ...imported,
    },
    { ticker: 'FBTC', date: parseDay('2026-11-19'), holdings_btc: null, flow_usd: null, ...nothing, ...imported },
  ])
})

test('treasuries, funding and open interest are imported', async () => {
  await importLines('treasuries', [
    'entity_id,date,holdings_btc,source_url',
    '1,2020-08-11,21454,https://example.org/8-K?a=1',
  ])
  await importLines('funding', ['exchange,instrument,time,rate', 'okx,BTC-USD-SWAP,2024-01-01T08:00:00Z,-0.0000125'])
  await importLines('oi', ['exchange,instrument,time,amount,unit', 'deribit,BTC-PERPETUAL,2024-01-02T00:00Z,8e8,usd'])
  await session(async (connection) => {
    expect(await readObservations(connection, folder, tables.treasuries)).toEqual([
      {
        entity_id: 1,
        date: parseDay('2020-08-11'),
        holdings_btc: 21_454,
        change_btc: null,
        source_url: 'https://example.org/8-K?a=1',
        ...imported,
      },
    ])
    expect(await readObservations(connection, folder, tables.funding)).toEqual([
      {
        exchange: 'okx',
        instrument: 'BTC-USD-SWAP',
        time: Date.parse('2024-01-01T08:00Z'),
        rate: -0.0000125,
        interval_hours: null,
        ...imported,
      },
    ])
    expect(await readObservations(connection, folder, tables.open_interest)).toEqual([
      {
        exchange: 'deribit',
        instrument: 'BTC-PERPETUAL',
        time: Date.parse('2024-01-02'),
        amount: 8e8,
        unit: 'usd',
        ...imported,
      },
    ])
  })
})

const funding = 'exchange,instrument,time,rate'
const oi = 'exchange,instrument,time,amount,unit'
test.each<[string, ImportKind, string[], number, string]>([
  ['an unknown fund', 'etf', ['ticker,date', 'GLD,2026-11-18'], 2, 'ticker "GLD" is not a ticker of the registry'],
  ['a day that has not ended', 'etf', ['ticker,date', 'FBTC,2026-11-20'], 2, '2026-11-20 has not ended'],
  ['negative holdings', 'etf', ['ticker,date,holdings_btc', 'FBTC,2026-11-18,-1'], 2, 'holdings_btc "-1" is negative'],
  [
    'a repeated line',
    'etf',
    ['ticker,date', 'FBTC,2026-11-18', 'IBIT,2026-11-18', 'FBTC,2026-11-18'],
    4,
    'repeats line 2',
  ],
  [
    'an unknown entity',
    'treasuries',
    ['entity_id,date,holdings_btc', '999,2026-11-18,1'],
    2,
    'entity_id "999" is not an entity',
  ],
  ['no holdings', 'treasuries', ['entity_id,date,holdings_btc', '1,2026-11-18,'], 2, 'holdings_btc is empty'],
  [
    'an unknown exchange',
    'funding',
    [funding, 'bitmex,X,2024-01-01T08:00:00Z,0.0001'],
    2,
    'exchange "bitmex" is not one of binance',
  ],
  ['a rate in percent', 'funding', [funding, 'okx,X,2024-01-01T08:00:00Z,0.5'], 2, 'rate "0.5" is more than 0.1'],
  [
    'an instant without zone',
    'funding',
    [funding, 'okx,X,2024-01-01T08:00:00,0.0001'],
    2,
    'is not an instant of the form',
  ],
  [
    'an instant that does not exist',
    'funding',
    [funding, 'okx,X,2024-13-01T08:00:00Z,0.0001'],
    2,
    'is not an instant that exists',
  ],
  ['an instant to come', 'funding', [funding, 'okx,X,2026-11-20T12:00:01Z,0.0001'], 2, 'lies in the future'],
  ['another unit', 'oi', [oi, 'okx,X,2024-01-01T08:00:00Z,5,contracts'], 2, 'unit "contracts" is neither btc nor usd'],
])('%s is refused with its line, and nothing is stored', async (_, kind, lines, line, what) => {
  const error: unknown = await importLines(kind, lines).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'invalid_file' })
  expect(String(error)).toContain(`line ${line}: `)
  expect(String(error)).toContain(what)
  expect(existsSync(path.join(folder, 'raw'))).toBe(false)
})

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parseDay } from '#base/days.ts'
import { defineMetrics } from '#compute/catalogue/definition.ts'
import { derivatives } from '#compute/catalogue/derivatives.ts'
import { etfs } from '#compute/catalogue/etfs.ts'
import { treasuries } from '#compute/catalogue/treasuries-metrics.ts'
import { Draft } from '#compute/publish/draft.ts'
import { publishMarketTables } from '#compute/publish/market-tables.ts'
import { originColumns } from '#compute/publish/origin-columns.ts'
import { readDailyPrices, toCloseOn, writeSimulatedPrices } from '#ingest/market/prices.ts'
import { writeSimulatedMarket } from '#ingest/market/simulated-market.ts'
import { simulatedPrices } from '#ingest/simulated/prices.ts'
import { withSession } from '#sql/session.ts'

it('the simulated market gives every market metric a value, and is called simulated in every row', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-simulated-tables-'))
  const endDay = Date.parse('2026-11-19') / 86_400_000
  const firstDay = Date.parse('2018-01-01') / 86_400_000
  const days = endDay - firstDay + 1
  try {
    await withSession({ temporaryFolder: path.join(folder, 'temporary') }, async (connection) => {
      const prices = simulatedPrices({ seed: 3, endDay })
      await writeSimulatedPrices(connection, folder, prices)
      await writeSimulatedMarket(connection, folder, { seed: 3, endDay, prices })
      await connection.run(
        `CREATE TEMP TABLE supply AS SELECT DATE '2018-01-01' + day::INTEGER AS date, 2e15::BIGINT AS supply_sats FROM range(${days}) _(day)`,
      )
      const supply = { name: 'days', from: 'supply' } as const
      const read = await readDailyPrices(connection, folder)
      const draft = new Draft(connection, path.join(folder, 'made'))
      const market = { draft, dataDir: folder, closeOn: toCloseOn(read!), lastDay: endDay, real: false, notes: [] }
      const stored = await publishMarketTables(market, supply)

      const markets = defineMetrics('derivatives', [...derivatives, ...etfs, ...treasuries]).filter(({ from }) => from)
      const columns = await originColumns(connection, markets, {
        computed: new Map(),
        stored,
        firstDay: parseDay('2018-01-01'),
        days,
      })
      const empty = markets.filter(({ id }) => columns.get(id)?.every(Number.isNaN))
      expect(markets.length).toBeGreaterThan(500)
      expect(empty.map(({ id }) => id)).toEqual([])

      const file = (table: string): string => path.join(draft.folder, `${table}.parquet`)
      for (const table of ['funding', 'open_interest', 'etf']) {
        const sources = await connection.runAndReadAll(`SELECT DISTINCT source FROM '${file(table)}'`)
        expect(sources.getRowsJson(), table).toEqual([['simulated']])
      }
      const reports = await connection.runAndReadAll(
        `SELECT DISTINCT source FROM '${file('treasuries')}' WHERE source IS NOT NULL`,
      )
      expect(reports.getRowsJson()).toEqual([['simulated']])
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

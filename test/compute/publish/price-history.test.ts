import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import { networks } from '#ingest/chain/networks.ts'
import { importPrices } from '#ingest/market/import-prices.ts'
import { readDailyPrices } from '#ingest/market/prices.ts'
import { evaluateFormula } from '#sql/formula/evaluate.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '#test/support/program.ts'

const csv = path.join(import.meta.dirname, '../../../../shared/data/price/btc-usd-daily.csv')
const folder = temporaryFolder('price-history')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Worked out from the lines of the file with Python's math module, apart from this project. */
const expected = [
  { date: '2013-12-04', volatility: 208.58742790496404, drawdown: 0, mayer: 5.820032439293858 },
  { date: '2018-12-15', volatility: 105.11327071025137, drawdown: -0.8361961648834463, mayer: 0.5067705402366335 },
  { date: '2021-11-10', volatility: 58.54348892323717, drawdown: -0.03878533599895562, mayer: 1.4221784530270702 },
  { date: '2024-03-13', volatility: 58.54324003926829, drawdown: 0, mayer: 1.8469793490582063 },
]

describe.skipIf(!existsSync(csv))('the imported history of the price', async () => {
  const prices = existsSync(csv)
    ? await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
        await importPrices(connection, folder, csv)
        return readDailyPrices(connection, folder)
      })
    : undefined
  const { formulas } = createCatalogue(
    networks.mainnet,
    listCohorts({ days: Int32Array.of(14_247, 20_000) }, 210_000, 20_000),
  )
  const valueOn = (id: string, date: string): number => {
    const formula = formulas.get(id)
    if (!formula || !prices) throw new Error(`${id} has no formula`)
    const column = evaluateFormula(formula, prices.close.length, () => prices.close)
    return column[Date.parse(date) / 86_400_000 - prices.firstDay] ?? Number.NaN
  }

  test.each(expected)(
    'gives volatility, drawdown and Mayer multiple of $date',
    ({ date, volatility, drawdown, mayer }) => {
      expect(valueOn('realized_vol_1m', date) / volatility).toBeCloseTo(1, 10)
      expect(valueOn('drawdown', date)).toBeCloseTo(drawdown, 12)
      expect(valueOn('mayer_multiple', date) / mayer).toBeCloseTo(1, 10)
    },
  )
})

import { existsSync } from 'node:fs'
import { CoinstrataError } from '#base/errors.ts'
import { formatCount, formatDecimals } from '#base/quantities.ts'
import { textTable } from '#base/text-table.ts'
import { temporaryFolder } from '#compute/data-folder.ts'
import { labelDaysFile } from '#compute/publish/label-days.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'

/** Labels and the holdings of their addresses on the last day. */
export async function describeLabels(dataDir: string): Promise<string> {
  const file = labelDaysFile(dataDir)
  if (!existsSync(file)) {
    throw new CoinstrataError('data_not_ready', `no labelled addresses are counted in ${dataDir}`, {
      cure: 'put lists into its folder labels (docs/addresses.md) and run "coinstrata update"',
    })
  }
  const held = parquetFiles([file])
  const { date, rows } = await withSession(
    { temporaryFolder: temporaryFolder(dataDir), threads: 1 },
    async (connection) => {
      const result = await connection.runAndReadAll(
        `SELECT date::VARCHAR, label, addresses, coins(balance_sats), coins(received_sats - spent_sats), realized_cap, coin_days / coins(nullif(balance_sats, 0))
       FROM ${held} WHERE date = (SELECT max(date) FROM ${held}) ORDER BY balance_sats DESC, label`,
      )
      const found = result.getRows()
      return { date: String(found[0]?.[0]), rows: found.map((row) => row.slice(1)) }
    },
  )
  const number = (value: unknown, digits: number): string =>
    value === null ? '' : formatDecimals(Number(value), digits)
  const cells = rows.map(([label, addresses, balance, change, cap, age]) => [
    String(label),
    formatCount(Number(addresses)),
    number(balance, 8),
    number(change, 8),
    number(cap, 0),
    number(age, 1),
  ])
  return `${textTable(['label', 'addresses', 'BTC', 'change of the day', 'cost in USD', 'age in days'], cells)}on ${date}, by day in ${file}\n`
}

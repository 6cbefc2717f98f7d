import type { DuckDBConnection } from '@duckdb/node-api'
import { isoDate } from '#base/days.ts'
import { formatCount } from '#base/quantities.ts'
import { importObservations, importKinds as marketKinds } from '#ingest/market/import-observations.ts'
import { importPrices, type PriceGap } from '#ingest/market/import-prices.ts'
import type { Appended } from '#ingest/market/store.ts'

export const importKinds = ['prices', ...marketKinds] as const

/** Columns in brackets may be missing or empty. */
export const importFiles: Readonly<Record<(typeof importKinds)[number], { holds: string; columns: string }>> = {
  prices: {
    holds: 'prices in USD: one line a day or an hour, as exchanges and sheets write them (docs/market-data.md)',
    columns: 'date|time[,open,high,low],close[,volume]',
  },
  etf: {
    holds: 'what funds held at the close of a day; ticker as in data/reference/etfs.json, NAV and price per share',
    columns: 'ticker,date[,holdings_btc,shares_outstanding,nav_usd,market_price_usd,aum_usd,flow_usd,premium]',
  },
  treasuries: {
    holds: 'what entities held after a report; entity_id as in data/reference/treasuries.json',
    columns: 'entity_id,date,holdings_btc[,change_btc,source_url]',
  },
  funding: {
    holds: 'settled funding rates, as fractions per interval; time as YYYY-MM-DDTHH:MM:SSZ',
    columns: 'exchange,instrument,time,rate[,interval_hours]',
  },
  oi: {
    holds: 'open interest, counting one side; unit is btc or usd',
    columns: 'exchange,instrument,time,amount,unit',
  },
}

/** Returns a message about the import. */
export async function importFile(
  connection: DuckDBConnection,
  dataDir: string,
  kind: (typeof importKinds)[number],
  file: string,
  options: { allowJumps?: boolean } = {},
): Promise<string> {
  if (kind !== 'prices') {
    return describe(file, 'observations', await importObservations(connection, dataDir, kind, file), '')
  }
  const { firstDay, lastDay, spacing, untraded, gaps, notes, ...counts } = await importPrices(
    connection,
    dataDir,
    file,
    options,
  )
  const none = untraded > 0 ? `; nothing was traded in ${formatCount(untraded)} of them, which make no price` : ''
  return (
    describe(
      file,
      spacing,
      counts,
      ` (${[`${isoDate(firstDay)} to ${isoDate(lastDay)}${none}`, ...notes].join('; ')})`,
    ) + describeGaps(gaps, spacing)
  )
}

const maxListedGaps = 20

/** Names the longest gaps in order. */
function describeGaps(gaps: readonly PriceGap[], spacing: 'days' | 'hours'): string {
  if (gaps.length === 0) return ''
  const longest = new Set(gaps.toSorted((a, b) => b.length - a.length).slice(0, maxListedGaps))
  const listed = gaps
    .filter((gap) => longest.has(gap))
    .map(({ first, last, length }) => (length === 1 ? first : `${first} to ${last} (${formatCount(length)})`))
  const more = gaps.length > listed.length ? `, and ${formatCount(gaps.length - listed.length)} shorter gaps` : ''
  const total = gaps.reduce((sum, { length }) => sum + length, 0)
  const fallback =
    spacing === 'days'
      ? 'A missing day has the price of other sources, or else the close before it.'
      : 'A missing hour has the price of other sources, or else the last one for up to 12 hours; a day with a block after that is valued at its close.'
  return `Missing ${spacing} (${formatCount(total)}): ${listed.join(', ')}${more}.\n${fallback}\n`
}

export const takesEffect = 'They take effect with the next "coinstrata update" or "coinstrata compute".\n'

const describe = (file: string, what: string, { added, corrected, unchanged }: Appended, extent: string): string =>
  `${file}: ${formatCount(added)} ${what} added, ${formatCount(corrected)} corrected, ${formatCount(unchanged)} already known${extent}\n` +
  takesEffect

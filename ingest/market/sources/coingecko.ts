import { z } from 'zod'
import { dayAt } from '#base/days.ts'
import { shareSuccess } from '#base/shared-promises.ts'
import type { HttpClient } from '../http.ts'
import { type Observation, tables } from '../observations.ts'
import { type Entity, entities } from '../reference.ts'
import { createSeries } from '../series.ts'
import type { MarketSource } from '../source.ts'
import { decimal, milliseconds } from '../wire.ts'

const perPage = 250
const entityList = z.array(z.object({ id: z.string(), symbol: z.string().nullish(), name: z.string() }))
const transactions = z.object({
  transactions: z.array(
    z.object({
      date: milliseconds,
      coin_id: z.string(),
      source_url: z.string().nullish(),
      holding_net_change: decimal,
      holding_balance: decimal,
    }),
  ),
})

/** All reported trades of registry entities, and so their holdings since the first. */
export const coingecko: MarketSource = {
  id: 'coingecko',
  name: 'CoinGecko treasuries',
  baseUrl: 'https://api.coingecko.com',
  requestsPerMinute: 25,
  key: { header: 'x-cg-demo-api-key', obtain: 'a free demo key from https://www.coingecko.com/en/api' },
  terms: { attribution: 'Data provided by CoinGecko (https://www.coingecko.com)' },
  rotates: true,
  series: entities
    .filter(({ type }) => type !== 'protocol')
    .map((entity) =>
      createSeries({
        table: tables.treasuries,
        identity: { entity_id: entity.id },
        startsAt: Date.UTC(2014, 0, 1),
        fullHistory: true,
        fetch: async (http) => {
          const found = (await listing(http)).find(({ symbol, name }) => isSameEntity(entity, symbol ?? '', name))
          return found ? reports(http, entity, found.id) : []
        },
      }),
    ),
  notices: async (http) => {
    const strangers = (await listing(http)).filter(
      ({ symbol, name }) => !entities.some((entity) => isSameEntity(entity, symbol ?? '', name)),
    )
    if (strangers.length === 0) return []
    const named = strangers.slice(0, 10).map(({ symbol, name }) => (symbol ? `${name} (${symbol})` : name))
    const more = strangers.length > named.length ? ` and ${strangers.length - named.length} more` : ''
    return [`it lists ${strangers.length} that the registry does not know: ${named.join(', ')}${more}`]
  },
}

const listings = new WeakMap<HttpClient, Promise<z.infer<typeof entityList>>>()

/** Requested once per run. */
const listing = (http: HttpClient): Promise<z.infer<typeof entityList>> =>
  shareSuccess(listings, http, async () => {
    const byType = ['company', 'government'].map((type) =>
      pages(http, entityList, (answer) => answer, '/api/v3/entities/list', { entity_type: type }),
    )
    return (await Promise.all(byType)).flat()
  })

async function reports(http: HttpClient, entity: Entity, id: string): Promise<Observation<'treasuries'>[]> {
  const path = `/api/v3/public_treasury/${encodeURIComponent(id)}/transaction_history`
  const query = { order: 'date_asc', coin_ids: 'bitcoin' }
  const rows = await pages(http, transactions, (answer) => answer.transactions, path, query)
  const byDay = Map.groupBy(
    rows.filter(({ coin_id }) => coin_id === 'bitcoin'),
    (row) => dayAt(row.date),
  )
  return [...byDay].map(([date, reported]) => {
    const last = reported.reduce((latest, row) => (row.date >= latest.date ? row : latest))
    const change = reported.reduce((sum, row) => sum + row.holding_net_change, 0)
    const { holding_balance: holdings_btc, source_url } = last
    return { entity_id: entity.id, date, holdings_btc, change_btc: change, source_url: source_url ?? null }
  })
}

/**
 * Reads all pages of a list. Drops repeated rows, because new ones shift pages; requests a page
 * without new rows twice before taking it for the end.
 */
async function pages<Answer, Row>(
  http: HttpClient,
  schema: z.ZodType<Answer>,
  readRows: (answer: Answer) => Row[],
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Row[]> {
  const rows = new Map<string, Row>()
  const take = async (page: number): Promise<{ full: boolean; isNew: boolean }> => {
    const found = readRows(await http.json(schema, path, { ...query, per_page: perPage, page }))
    const before = rows.size
    for (const row of found) rows.set(JSON.stringify(row), row)
    return { full: found.length === perPage, isNew: rows.size > before }
  }
  for (let page = 1; ; page++) {
    let taken = await take(page)
    if (!taken.isNew) taken = await take(page)
    if (!taken.isNew || !taken.full) return [...rows.values()]
  }
}

/** By symbol suffix. */
const exchangeCountries: Readonly<Record<string, string>> = {
  T: 'JP',
  V: 'CA',
  TO: 'CA',
  CN: 'CA',
  NE: 'CA',
  HK: 'HK',
  DE: 'DE',
  F: 'DE',
  ST: 'SE',
  OL: 'NO',
  L: 'GB',
  AQ: 'GB',
  PA: 'FR',
  AS: 'NL',
  SA: 'BR',
  AX: 'AU',
  KS: 'KR',
  US: 'US',
}

/**
 * CoinGecko's ids may change, so entities match by exchange symbol (`MSTR.US`, `3350.T`) or name.
 * Registry tickers without suffix are listed in the United States or the entity's country.
 */
function isSameEntity(entity: Entity, symbol: string, name: string): boolean {
  if (name.toLowerCase() === entity.name.toLowerCase()) return true
  if (entity.ticker === null || symbol === '') return false
  const [code, suffix = ''] = symbol.toUpperCase().split('.')
  const ticker = entity.ticker.toUpperCase()
  if (ticker.includes('.')) return symbol.toUpperCase() === ticker
  return code === ticker && ['US', entity.country].includes(exchangeCountries[suffix] ?? '')
}

import path from 'node:path'
import { pricingText } from '#contract/pricing.ts'
import { tables as marketTables } from '#ingest/market/observations.ts'
import { storedSources } from '#ingest/market/store.ts'
import {
  currentGeneration,
  type Generation,
  generationIds,
  newerGenerations,
  publishedFolder,
} from '#sql/generation.ts'
import { readProvedBlocks } from '#sql/proved-segments.ts'
import { bitcoins, bytesText, describeProved, duration, grouped } from './numbers.ts'
import { priceDoubts } from './prices.ts'
import { describeRuns } from './runs.ts'

/** What `coinstrata status` prints of a data folder. */
export function describeStatus(dataDir: string): string {
  const current = currentGeneration(dataDir)
  const runs = describeRuns(dataDir)
  if (!current) {
    return [`${dataDir}: nothing is published yet; "coinstrata update" does it`, ...runs, ''].join('\n')
  }
  const { generation } = current
  const { tip, audit, prices, tables } = generation
  const age = (Date.now() - Date.parse(generation.created_at)) / 1000
  const bytes = Object.values(tables).reduce((sum, table) => sum + table.bytes, 0)
  const lines = [
    `network     ${generation.network}${generation.simulated ? ' (made up)' : ''}, read from ${generation.source}`,
    `generation  ${generation.id}, published ${duration(age)} ago`,
    ...newerGenerations(dataDir).map(
      ({ id }) => `newer       ${id} was left; "coinstrata rollback ${id}" goes on to it`,
    ),
    `days        ${generation.first_date} to ${generation.last_date}`,
    `tip         block ${grouped(tip.height)} (${tip.hash}), ${tip.time}`,
    `supply      ${bitcoins(tip.supply_sats)} in ${grouped(tip.utxo_count)} unspent outputs`,
    `prices      ${describePrices(dataDir, prices)}`,
    ...(prices ? [`pricing     ${pricingText(prices.pricing)}`] : []),
    ...(prices ? priceDoubts(prices) : []).map((doubt) => `prices      ${doubt}`),
    `audit       ${grouped(audit.days)} days, ${grouped(audit.blocks)} blocks; ${audit.node ? 'equal to the node at the tip' : 'not compared with a node'}`,
    `proved      ${describeProved(readProvedBlocks(dataDir, tip.height + 1) ?? generation.proved)}`,
    ...generation.notes.map((note) => `note        ${note}`),
    `tables      ${Object.keys(tables).join(', ')}: ${bytesText(bytes)} in ${path.join(publishedFolder(dataDir), 'current')}`,
    `kept        ${generationIds(dataDir).length} generations`,
    ...runs,
  ]
  return `${lines.join('\n')}\n`
}

function describePrices(dataDir: string, published: Generation['prices']): string {
  if (published) return `${published.source}, ${published.first_date} to ${published.last_date}`
  return storedSources(dataDir, marketTables.prices.kind).length > 0
    ? 'imported, waiting for the next "coinstrata update" or "coinstrata compute"'
    : 'none: coinstrata import prices FILE'
}

import path from 'node:path'
import { z } from 'zod'
import { formatBytes, formatCount, formatDecimals, formatDuration } from '#base/quantities.ts'
import { temporaryFolder } from '#compute/data-folder.ts'
import type { UpdateReport } from '#compute/update.ts'
import { ageBands } from '#contract/cohorts.ts'
import { describePricing } from '#contract/pricing.ts'
import { describeProved } from '#contract/proofs.ts'
import { type Generation, publishedFolder } from '#sql/generation.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { readProvedBlocks } from '#state/proved-segments.ts'
import { describeMilestone, formatBtc, formatRate, formatUsd } from './numbers.ts'
import { priceDoubts } from './price-doubts.ts'

const barCells = 40

type PassFigures = Omit<UpdateReport, 'generation' | 'tipHeight'>

const cohortRow = z.object({
  cohort: z.string(),
  supply: z.number(),
  share: z.number(),
  realizedCap: z.number().nullable(),
  realizedPrice: z.number().nullable(),
})
type CohortRow = z.infer<typeof cohortRow>

/** For people. Notes in `notesBefore` are counted, not printed. */
export async function summarize(
  dataDir: string,
  generation: Generation,
  pass: PassFigures,
  notesBefore: readonly string[],
): Promise<string> {
  const proved = readProvedBlocks(dataDir, generation.tip.height + 1) ?? generation.proved
  const folder = path.join(publishedFolder(dataDir), generation.id)
  const rows = await lastCohortRows(folder, temporaryFolder(dataDir), generation.last_date)
  const all = rows.get('all')
  const { tip, audit, prices } = generation
  const again = pass.blocks > tip.height + 1 ? ' (some of them twice, for the undo records of their other copies)' : ''
  const lines = [
    '',
    `${generation.network}${generation.simulated ? ' (simulated chain and prices)' : ''}`,
    `  tip             block ${formatCount(tip.height)}, ${tip.time.replace('T', ' ').replace('Z', ' UTC')}`,
    `  last full day   ${generation.last_date}`,
    `  supply          ${formatBtc(tip.supply_sats)} in ${formatCount(tip.utxo_count)} unspent outputs at the tip`,
    `  realized cap    ${describeUsd(all?.realizedCap, prices, generation.last_date)}`,
    `  realized price  ${describeUsd(all?.realizedPrice, prices, generation.last_date)}`,
    ...(prices ? [`  pricing         ${describePricing(prices.pricing)}`] : []),
    ...(prices ? priceDoubts(prices) : []).map((doubt) => `  prices          ${doubt}`),
    '',
    `  supply by age on ${generation.last_date}`,
    ...ageBars(rows),
    '',
    `  audited         ${formatCount(audit.days)} days from flows against ${formatCount(audit.blocks)} blocks and the subsidy schedule`,
    `                  ${describeNodeAudit(audit)}`,
    ...audit.milestones.map((milestone) => `  as published    ${describeMilestone(milestone)}`),
    `  proved          ${describeProved(proved)} against their hashes`,
    ...describeNotes([...new Set([...generation.notes, ...(pass.notes ?? [])])], notesBefore),
    `  read            ${formatCount(pass.blocks)} blocks${again}, ${formatBytes(pass.bytes)} in ${formatDuration(pass.scanSeconds)} (${formatRate(pass.bytes, pass.scanSeconds)})`,
    pass.unchanged
      ? `  kept            ${describeUnchanged(pass.newerId)}`
      : `  computed        in ${formatDuration(pass.computeSeconds)}`,
    `  tables          ${path.join(publishedFolder(dataDir), 'current')}`,
    '',
  ]
  return lines.join('\n')
}

function describeNotes(notes: readonly string[], before: readonly string[]): string[] {
  const news = notes.filter((note) => !before.includes(note))
  const same = notes.length - news.length
  return [
    ...news.map((note) => `  note            ${note}`),
    ...(same > 0 ? [`  notes           ${same} as before: "coinstrata status" shows them`] : []),
  ]
}

const describeUnchanged = (newerId: string | undefined): string =>
  newerId === undefined
    ? 'the previous generation, because nothing has changed since (--force publishes a new one)'
    : `the generation chosen by rollback, because nothing has changed since ${newerId} (--force publishes a new one)`

async function lastCohortRows(folder: string, temporary: string, date: string): Promise<Map<string, CohortRow>> {
  const rows = await withSession({ temporaryFolder: temporary }, async (connection) => {
    const file = parquetFiles([path.join(folder, 'cohorts.parquet')])
    const reader = await connection.runAndReadAll(
      `SELECT cohort, supply, supply_percent AS share, realized_cap AS realizedCap, realized_price AS realizedPrice
       FROM ${file} WHERE date = $date::DATE`,
      { date },
    )
    return z.array(cohortRow).parse(reader.getRowObjectsJS())
  })
  return new Map(rows.map((row) => [row.cohort, row]))
}

function ageBars(rows: ReadonlyMap<string, CohortRow>): string[] {
  const bands = ageBands.flatMap(({ id }) => rows.get(id) ?? [])
  const largest = Math.max(...bands.map(({ share }) => share), 1)
  return bands.map(({ cohort, supply, share }) => {
    const bar = '█'.repeat(Math.round((share / largest) * barCells))
    const amount = `${formatDecimals(supply, 2)} BTC`.padStart(18)
    return `  ${cohort.padEnd(9)} ${amount} ${`${formatDecimals(share, 1)} %`.padStart(7)} ${bar}`.trimEnd()
  })
}

function describeUsd(value: number | null | undefined, prices: Generation['prices'], date: string): string {
  if (value !== null && value !== undefined) return `${formatUsd(value)} (prices: ${prices?.source})`
  if (prices?.unpriced && date <= prices.last_date) return 'unknown: too many coins have no price'
  if (!prices) return 'needs prices: run "coinstrata fetch", then "coinstrata update"'
  return `no price for ${date}: prices run from ${prices.first_date} to ${prices.last_date}`
}

function describeNodeAudit({ node }: Generation['audit']): string {
  if (!node) return 'not compared with a node'
  return `equal to gettxoutsetinfo of the node: ${formatBtc(node.supply_sats)}, ${formatCount(node.utxo_count)} outputs`
}

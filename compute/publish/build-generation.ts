import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { networks } from '#ingest/chain/networks.ts'
import { tables as stored } from '#ingest/market/observations.ts'
import { firstMarket } from '#ingest/market/price-sources.ts'
import { closesOf, type DailyPrices, doubtsOf } from '#ingest/market/prices.ts'
import { attributionsOf } from '#ingest/market/sources.ts'
import { storedSources } from '#ingest/market/store.ts'
import { isoDate } from '#root/days.ts'
import { CoinstrataError } from '#root/errors.ts'
import { type Generation, publishedFolder, removeOldGenerations, switchToGeneration } from '#sql/generation.ts'
import { diskFull } from '#sql/parquet.ts'
import { readProvedBlocks } from '#sql/proved-segments.ts'
import { withInputs } from '#sql/relation.ts'
import { auditGeneration } from '../audit/audit.ts'
import type { ScannedChain } from '../scan/scanned-chain.ts'
import { closedDaysOf, openScan, writeBlocks, writeDays, writeOverwritten, writeYoungSpends } from './chain-tables.ts'
import { removeCheckpoints, writeCheckpoint } from './checkpoints.ts'
import type { CostGap } from './cost-gap.ts'
import { Draft } from './draft.ts'
import { passFlows } from './flow-pass.ts'
import { inputKey } from './input-key.ts'
import { publishMarketTables } from './market-tables/market-tables.ts'
import { publishPrices } from './price-tables.ts'
import { publishCycles, publishMetrics } from './publish-metrics.ts'

/**
 * Computes every table from what was scanned, audits them, and publishes them as the current generation. Until the
 * last step nothing that readers see has changed. Throws `audit_failed`, `schema_mismatch`, `data_not_ready`,
 * `disk_full`.
 */
export async function buildGeneration(
  connection: DuckDBConnection,
  dataDir: string,
  scanned: ScannedChain,
): Promise<Generation> {
  const inputs = inputKey(dataDir, scanned)
  const createdAt = new Date()
  const id = `${createdAt.toISOString().replace(/[-:.]/g, '')}-${scanned.tip.height}-${scanned.tip.hash.slice(-8)}`
  const draft = new Draft(connection, path.join(publishedFolder(dataDir), id))
  try {
    const { checkpoint, ...made } = await makeTables(draft, dataDir, scanned)
    const generation: Generation = {
      format: 1,
      id,
      inputs,
      created_at: createdAt.toISOString(),
      network: scanned.network,
      simulated: scanned.network === 'simulated',
      source: scanned.source,
      ...made,
      proved: readProvedBlocks(dataDir, scanned.tip.height + 1) ?? null,
      tables: draft.tables,
    }
    draft.publish(generation)
    switchToGeneration(dataDir, id)
    if (checkpoint) await writeCheckpoint(dataDir, checkpoint, path.join(publishedFolder(dataDir), id, 'flows.parquet'))
    removeOldGenerations(dataDir)
    return generation
  } catch (cause) {
    draft.discard()
    // What earlier runs left must not bring a doubt upon the chain: without it the pass begins with the first day.
    if (cause instanceof CoinstrataError && cause.code === 'audit_failed' && removeCheckpoints(dataDir)) {
      return buildGeneration(connection, dataDir, scanned)
    }
    throw diskFull(cause, draft.folder) ?? cause
  }
}

/** Writes and audits all tables: each step names what it reads, and gives what it made to the steps that read that. */
async function makeTables(draft: Draft, dataDir: string, scanned: ScannedChain) {
  const { connection } = draft
  const network = networks[scanned.network]
  const scan = await openScan(connection, dataDir, scanned)
  const blocks = await writeBlocks(draft, scan)
  const closed = await closedDaysOf(connection, blocks)
  const youngSpends = await writeYoungSpends(draft, scan, closed)
  const overwritten = await writeOverwritten(draft, network, blocks)

  const { dailyPrices, prices } = await publishPrices(draft, dataDir, closed)
  const { flows, state, checkpoint } = await passFlows(draft, {
    dataDir,
    segmentFlows: scan.flows,
    closed,
    prices: dailyPrices,
    marketDay: scanned.network === 'mainnet' ? firstMarket.day : undefined,
    halvingInterval: network.halvingInterval,
    blocks,
    youngSpends,
    overwritten,
  })
  const days = await writeDays(draft, { blocks, overwritten, youngSpends, flows }, scan, closed)

  const closeOn = dailyPrices ? closesOf(dailyPrices) : () => Number.NaN
  const notes = [...scanned.notes]
  const market = await publishMarketTables(
    { draft, dataDir, closeOn, lastDay: closed.last, real: scanned.network === 'mainnet', notes },
    days,
  )
  const inputs = { network, closed, state, days, prices, market }
  const cyclePerformance = await publishCycles(draft, inputs)
  const cohorts = await publishMetrics(draft, inputs, cyclePerformance)

  const { audit, tip } = await withInputs(
    connection,
    { from: [blocks, flows, days, cohorts, overwritten, scan.flows] },
    () => auditGeneration(connection, network, scanned),
  )
  return {
    genesis_hash: network.genesisHash,
    first_date: isoDate(closed.first),
    last_date: isoDate(closed.last),
    tip: {
      ...scanned.tip,
      time: closed.tipTime,
      work: scanned.work,
      supply_sats: tip.supplySats,
      utxo_count: tip.utxoCount,
    },
    prices: dailyPrices ? describePrices(dailyPrices, state.costGap) : null,
    audit,
    notes,
    attributions: attributionsOf(Object.keys(stored).flatMap((kind) => storedSources(dataDir, kind))),
    checkpoint,
  }
}

function describePrices(prices: DailyPrices, unpriced: CostGap): Generation['prices'] {
  const { disagreeing, worst, carried } = doubtsOf(prices)
  return {
    source: prices.source,
    first_date: isoDate(prices.firstDay),
    last_date: isoDate(prices.firstDay + prices.close.length - 1),
    carried_days: carried,
    disagreeing_days: disagreeing,
    worst_disagreement: worst ? { date: isoDate(worst.day), fraction: worst.disagreement } : null,
    unpriced,
  }
}

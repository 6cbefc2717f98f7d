import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { readPrivateKey } from '#base/signing-keys.ts'
import type { PublishedPricing } from '#contract/pricing.ts'
import { displayHash } from '#ingest/chain/bytes.ts'
import { hashAt } from '#ingest/chain/header-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readMiningPools } from '#ingest/market/mining-pools.ts'
import { tables as stored } from '#ingest/market/observations.ts'
import { firstMarket } from '#ingest/market/price-sources.ts'
import { type DailyPrices, findDoubts, toCloseOn } from '#ingest/market/prices.ts'
import { listAttributions } from '#ingest/market/sources.ts'
import { storedSources } from '#ingest/market/store.ts'
import { readColumns } from '#sql/columns.ts'
import { appendFirstPublished } from '#sql/first-published.ts'
import {
  type Generation,
  newestReadableGeneration,
  type OpenGeneration,
  publishedFolder,
  readableGeneration,
  removeOldGenerations,
  switchToGeneration,
} from '#sql/generation.ts'
import { diskFull } from '#sql/parquet.ts'
import type { Relation } from '#sql/relation.ts'
import { readCoinComparison } from '#state/coin-proof.ts'
import { readProvedBlocks } from '#state/proved-segments.ts'
import { type AuditedDays, auditGeneration } from '../audit/audit.ts'
import { createCatalogue } from '../catalogue/catalogue.ts'
import { addOwnMetrics, readOwnFiles } from '../catalogue/own-metrics.ts'
import { listCohorts } from '../cohorts/cohorts.ts'
import { createCostBasis } from '../cohorts/cost-basis.ts'
import { findHourPrices } from '../cohorts/hour-prices.ts'
import { defaultAnchor } from '../price-onchain/onchain-prices.ts'
import type { Progress } from '../progress.ts'
import { readValue } from '../read-value.ts'
import { readScannedBlocks, type ScannedBlocks, type ScannedChain } from '../scan/scanned-chain.ts'
import { writeAddressBalances } from './address-balances.ts'
import { writeAddressDays } from './address-days.ts'
import { poolSeries } from './block-pools.ts'
import { openScan, writeBlocks, writeDays, writeOverwritten, writeYoungSpends } from './chain-tables.ts'
import {
  type Checkpoint,
  checkpointKey,
  draftCheckpoint,
  findStart,
  type NewCheckpoint,
  removeCheckpoints,
  writeCheckpoint,
} from './checkpoints.ts'
import { allDays, ClosedDays, type NewDays } from './closed-days.ts'
import type { CostGap } from './cost-gap.ts'
import { writeCreatedKinds } from './created-kinds.ts'
import { createProof, writeDayHashes } from './day-hashes.ts'
import { Draft } from './draft.ts'
import {
  type NewGeneration,
  noteDamagedGeneration,
  noteLostMonths,
  writeFirstPublished,
} from './first-published-table.ts'
import { passFlows } from './flow-pass.ts'
import { type Choices, inputKey } from './input-key.ts'
import { writeLabelDays } from './label-days.ts'
import { publishMarketTables } from './market-tables.ts'
import { findOnchainPrices, findPriceGap, refuseLongGaps, writeOnchainPrices } from './onchain-price-table.ts'
import { publishPrices } from './price-tables.ts'
import { describePricing } from './pricing.ts'
import { publishCycles, publishMetrics } from './publish-metrics.ts'
import { writeFineFlows } from './spend-tables.ts'

/**
 * Computes all tables from the scanned chain, audits them, and publishes them as the current
 * generation. Readers see no change before the last step; an error of `approve` prevents it. Throws
 * `audit_failed`, `data_not_ready`.
 */
export async function buildGeneration(
  connection: DuckDBConnection,
  dataDir: string,
  scanned: ScannedChain,
  choices: Choices,
  progress: Pick<Progress, 'part'> = {},
  approve?: (built: OpenGeneration) => Promise<void>,
): Promise<Generation> {
  const inputs = inputKey(dataDir, scanned, choices)
  const createdAt = new Date()
  const id = `${createdAt.toISOString().replace(/[-:.]/g, '')}-${scanned.tip.height}-${scanned.tip.hash.slice(-8)}`
  const { network, tip } = scanned
  // A run may have been killed after publishing.
  await appendFirstPublished(connection, dataDir)
  const before = readableGeneration(dataDir)
  const draft = new Draft(connection, path.join(publishedFolder(dataDir), id), {
    progress,
    before,
    facts: {
      generation: id,
      network,
      simulated: network === 'simulated',
      tip_height: tip.height,
      tip_hash: tip.hash,
      pricing: storedSources(dataDir, stored.prices_hourly.kind).length > 0 ? choices.pricing : 'daily',
      price_sources:
        choices.priceSource === 'onchain'
          ? [...storedSources(dataDir, stored.prices.kind, (source) => source === 'import'), 'onchain']
          : storedSources(dataDir, stored.prices.kind),
    },
  })
  try {
    const { checkpoint, finishLabels, ...description } = await writeTables(draft, dataDir, scanned, choices, {
      id,
      createdAt,
      before: newestReadableGeneration(dataDir),
    })
    const generation: Generation = {
      format: 1,
      id,
      inputs,
      created_at: createdAt.toISOString(),
      network: scanned.network,
      simulated: scanned.network === 'simulated',
      source: scanned.source,
      ...description,
      proved: readProvedBlocks(dataDir, scanned.tip.height + 1) ?? null,
      tables: draft.tables,
    }
    await approve?.({ folder: draft.folder, generation })
    finishLabels()
    draft.part('publication')
    draft.publish(generation)
    switchToGeneration(dataDir, id)
    await appendFirstPublished(connection, dataDir)
    if (checkpoint) draft.part('checkpoint')
    if (checkpoint) writeCheckpoint(dataDir, checkpoint)
    removeOldGenerations(dataDir)
    return generation
  } catch (cause) {
    draft.discard()
    // An earlier run's checkpoint may be wrong: retry from the first day.
    if (cause instanceof CoinstrataError && cause.code === 'audit_failed' && removeCheckpoints(dataDir)) {
      return buildGeneration(connection, dataDir, scanned, choices, progress, approve)
    }
    throw diskFull(cause, draft.folder) ?? cause
  }
}

async function writeTables(
  draft: Draft,
  dataDir: string,
  scanned: ScannedChain,
  { priceSource, priceAnchor = defaultAnchor, ...choices }: Choices,
  publication: Pick<NewGeneration, 'id' | 'createdAt' | 'before'>,
) {
  const { pricing, fine, addresses = 'off', labels, publishLabels = false, signingKeyFile } = choices
  const { connection } = draft
  const key = signingKeyFile === undefined ? undefined : readPrivateKey(signingKeyFile)
  const network = networks[scanned.network]
  const chain = readScannedBlocks(dataDir, scanned)
  const closed = new ClosedDays(chain)
  const verified = new Set<string>()
  const openHours = async (after: number) =>
    (await openScan(connection, dataDir, scanned, { closed, after }, verified))('output_hours')
  // Only coins of the main network are paid for in dollars.
  const onchain =
    scanned.network === 'mainnet'
      ? await findOnchainPrices(connection, dataDir, { closed, chain }, priceAnchor, openHours)
      : undefined
  const isOnchain = priceSource === 'onchain'
  const priced = isOnchain ? writeOnchainPrices(draft, closed, onchain) : undefined
  const { dailyPrices, hourlyCloses, prices } = await publishPrices(draft, dataDir, closed.last, priced)
  const onchainPrices = priced ?? writeOnchainPrices(draft, closed, onchain)
  if (isOnchain) refuseLongGaps(dailyPrices, closed.last)

  draft.part('checkpoint')
  const marketDay = scanned.network === 'mainnet' ? firstMarket.day : undefined
  const basis = createCostBasis(dailyPrices, closed.first, closed.count, marketDay)
  const cohorts = listCohorts(closed, network.halvingInterval, closed.last)
  const hours =
    pricing === 'hourly' && !isOnchain ? findHourPrices(hourlyCloses, basis, chain.times, closed.first) : undefined
  const pools = readMiningPools(dataDir)
  const own = addOwnMetrics(createCatalogue(network, cohorts), readOwnFiles(dataDir))
  const given = { closed, chain, basis, hours, cohorts, ownCohorts: own.cohorts, pools, addresses }
  const { before, newDays } = findStart(dataDir, given)

  // The last generation may lack fine flows.
  const readDays = fine && !newDays.savedRows.has('fine_flows') ? allDays(newDays) : newDays
  const scan = await openScan(connection, dataDir, scanned, readDays, verified)
  const known = before?.lastDay
  const hashes = chain.hashes.subarray(32 * (closed.lastHeightOn(newDays.after) + 1))
  const { blocks, poolDays } = await writeBlocks(draft, newDays, { scan, hashes, network, pools, known })
  const youngSpends = await writeYoungSpends(draft, newDays, scan)
  const overwritten = await writeOverwritten(draft, network, blocks)
  const { flows, state, atCut } = await passFlows(draft, {
    ...given,
    scan,
    days: newDays,
    times: chain.times,
    before: before?.state,
    blocks,
    youngSpends,
    overwritten,
  })
  if (fine) await writeFineFlows(draft, newDays, scan, flows)
  const closeOn = dailyPrices ? toCloseOn(dailyPrices) : () => Number.NaN
  const notes = [...scanned.notes]
  const makeDays = async () => {
    const days = await writeDays(draft, newDays, { blocks, overwritten, youngSpends, flows }, scan, known)
    await writeCreatedKinds(draft, newDays, scan, days)
    const real = scanned.network === 'mainnet'
    const market = await publishMarketTables({ draft, dataDir, closeOn, lastDay: closed.last, real, notes }, days)
    return { days, market }
  }
  const gap = onchain && findPriceGap(onchain, closeOn, closed.last)
  const valued = describePricing({ pricing, priceSource }, hours, closed.first)
  const balanceInputs = {
    ...given,
    dataDir,
    scanned,
    events: scan('address_events'),
    newDays,
    state,
    nextCheckpoint: draftCheckpoint(dataDir, given, (newDays.cut ?? closed.last) - closed.first),
  }
  const { balances, atCut: addressesAtCut, made } = await writeAddressBalances(draft, balanceInputs, makeDays)
  const { days, market } = made
  const addressDays = writeAddressDays(draft, dataDir, scanned, given)
  const finishLabels = await writeLabelDays(draft, { ...given, dataDir, scanned, labels, publishLabels }, notes)
  const keyed = [...market, ...poolSeries(poolDays, days), addressDays, balances, onchainPrices]
  const inputs = { network, newDays, before, state, days, prices, keyed, pricing: valued, own }
  const cyclePerformance = await publishCycles(draft, inputs)
  const metrics = await publishMetrics(draft, inputs, cyclePerformance)
  const dayHashes = await writeDayHashes(draft, newDays, [flows, blocks, days, prices, metrics.cohorts])

  draft.part('audit')
  const audited = [blocks, flows, days, metrics.cohorts, overwritten, scan('flows')]
  const past = before && auditedUpTo(before, newDays)
  const { audit, tip } = await auditGeneration(connection, audited, network, scanned, past)
  const { recent } = metrics
  notes.push(...metrics.notes)
  const first_published = await writeFirstPublished(draft, dataDir, { ...publication, lastDay: closed.last, recent })
  notes.push(...noteLostMonths(dataDir), ...noteDamagedGeneration(dataDir))
  const time = await readValue(
    connection,
    `SELECT strftime(time, '%Y-%m-%dT%H:%M:%SZ') FROM ${blocks.from} WHERE height = ${scanned.tip.height}`,
  )
  const { cut } = newDays
  const checkpoint: NewCheckpoint | undefined =
    cut !== undefined && atCut && metrics.atCut
      ? {
          ...metrics.atCut,
          key: checkpointKey(given, cut - closed.first),
          day: cut - closed.first,
          inRow: 1 + (before?.inRow ?? 0),
          lastDay: await readTotals(connection, days, cut),
          milestones: audit.milestones.filter(({ height }) => height <= closed.lastHeightOn(cut)),
          state: new Map([...atCut, ...addressesAtCut]),
          tables: draft.rowsUpToCut,
        }
      : undefined
  return {
    genesis_hash: network.genesisHash,
    first_date: isoDate(closed.first),
    last_date: isoDate(closed.last),
    tip: {
      ...scanned.tip,
      time: String(time),
      work: scanned.work,
      supply_sats: tip.supplySats,
      utxo_count: tip.utxoCount,
    },
    prices: dailyPrices ? describePrices(dailyPrices, state.costGap, valued, isOnchain ? undefined : gap) : null,
    audit,
    proved_coins: provedCoins(dataDir, chain),
    proof: await createProof(draft, dayHashes, scanned.network, key),
    notes,
    attributions: listAttributions(Object.keys(stored).flatMap((kind) => storedSources(dataDir, kind))),
    checkpoint,
    finishLabels,
    ...(first_published && { first_published }),
  }
}

/** Newest proof by coin whose block is still on the chain. */
function provedCoins(dataDir: string, chain: ScannedBlocks): Generation['proved_coins'] {
  const proof = readCoinComparison(dataDir)?.proof
  if (!proof) return null
  const { height, hash } = proof
  return displayHash(hashAt(chain, height)) === hash ? proof : null
}

const auditedUpTo = ({ lastDay, milestones }: Checkpoint, { after }: NewDays): AuditedDays => ({
  day: after,
  height: lastDay.block_height,
  supplySats: lastDay.supply_sats,
  utxoCount: lastDay.utxo_count,
  milestones,
})

async function readTotals(
  connection: DuckDBConnection,
  days: Relation<'days'>,
  day: number,
): Promise<NewCheckpoint['lastDay']> {
  const { block_height, difficulty, supply_sats, utxo_count } = await readColumns(
    connection,
    `SELECT block_height, difficulty, supply_sats::DOUBLE AS supply_sats, utxo_count::DOUBLE AS utxo_count
     FROM ${days.from} WHERE date = DATE '1970-01-01' + ${day}`,
  )
  return {
    block_height: block_height![0]!,
    difficulty: difficulty![0]!,
    supply_sats: supply_sats![0]!,
    utxo_count: utxo_count![0]!,
  }
}

function describePrices(
  prices: DailyPrices,
  unpriced: CostGap,
  pricing: PublishedPricing,
  onchainGap: number | undefined,
): Generation['prices'] {
  const { disagreeing, worst, carried } = findDoubts(prices)
  return {
    source: prices.source,
    first_date: isoDate(prices.firstDay),
    last_date: isoDate(prices.firstDay + prices.close.length - 1),
    carried_days: carried,
    disagreeing_days: disagreeing,
    worst_disagreement: worst ? { date: isoDate(worst.day), fraction: worst.disagreement } : null,
    unpriced,
    pricing,
    ...(onchainGap !== undefined && { onchain_gap: onchainGap }),
  }
}

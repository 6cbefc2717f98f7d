import os from 'node:os'
import { CoinstrataError } from '#base/errors.ts'
import { formatBytes, formatDuration } from '#base/quantities.ts'
import { readRescan, recordRescan } from '#state/rescan.ts'
import type { AddressMode } from '../address-sample.ts'
import { readKnownAddresses } from '../labels/known-addresses.ts'
import type { Labels } from '../labels/label-files.ts'
import type { UpdateSettings } from '../update-settings.ts'
import { cpuSecondsPerGigabyte } from './preflight.ts'
import { readScannedChain, type ScannedChain } from './scanned-chain.ts'
import { formatVersion } from './segments.ts'

/** Addresses to publish: until a second scan is allowed, those that blocks were scanned for. */
export const publishedAddresses = (addresses: AddressMode, scanned: ScannedChain | undefined): AddressMode =>
  addresses === 'off' ? addresses : (scanned?.addresses ?? addresses)

/**
 * Chooses how to scan: as set if that needs no second scan of all blocks or the operator allows it,
 * otherwise as before. Records what waits. Throws `rescan_needed` if nothing can be scanned as
 * before.
 * @param labels undefined if they cannot be added, because blocks are gone
 * @param blockBytes of all blocks
 */
export function chooseScan(
  { dataDir, addresses = 'off' }: UpdateSettings,
  labels: Labels | undefined,
  blockBytes: number,
  isAllowed: boolean,
  say: (text: string) => void,
): { addresses: AddressMode; labelLimit: number } {
  const scanned = readScannedChain(dataDir)
  if (!scanned) return { addresses, labelLimit: Number.POSITIVE_INFINITY }
  const { labelled, addresses: before = addresses, format = formatVersion } = scanned
  const count = labelled?.count ?? 0
  const known = readKnownAddresses(dataDir, labels)
  const newLabels = known.places.length - known.counted(count).length
  const isSwitched = before !== addresses && addresses !== 'off'
  const reasons = [
    ...(format === formatVersion ? [] : ['this version of the program scans blocks in another way']),
    ...(isSwitched ? [`ADDRESSES is ${addresses}, and blocks were scanned with ${before}`] : []),
    ...(newLabels > 0 ? [`the lists of labels have ${newLabels} new addresses`] : []),
  ]
  const why = reasons.join('; ')
  const seconds = ((blockBytes / 1e9) * cpuSecondsPerGigabyte) / os.availableParallelism()
  const effort = `all blocks are read again, ${formatBytes(blockBytes)}, in about ${formatDuration(seconds)} if the disk is fast enough`
  const waiting = readRescan(dataDir)
  const mayScan = isAllowed || why === '' || (waiting?.isAllowed === true && waiting.why === why)
  recordRescan(dataDir, why === '' ? undefined : { why, effort, isAllowed: mayScan })
  if (why !== '') say(`${why}: ${effort}${mayScan ? '' : ', once "coinstrata update --yes" allows it'}`)
  if (!mayScan && format !== formatVersion) throw new CoinstrataError('rescan_needed', `${why}: ${effort}`)
  const keepsBefore = isSwitched ? !mayScan : before === 'sample'
  return { addresses: keepsBefore ? before : addresses, labelLimit: mayScan ? Number.POSITIVE_INFINITY : count }
}

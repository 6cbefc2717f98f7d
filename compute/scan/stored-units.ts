import { type HeaderChain, hashesOf } from '#ingest/chain/header-chain.ts'
import { readColumns } from '#sql/columns.ts'
import { parquetFiles } from '#sql/parquet.ts'
import { withSession } from '#sql/session.ts'
import { temporaryFolder } from '../data-folder.ts'
import { readScannedChain, type ScannedChain } from './scanned-chain.ts'
import { chooseParts, partFile, segmentStore } from './segment-parts.ts'
import { segmentKey } from './segments.ts'

/**
 * Segments that were scanned from another kind of source, which divides blocks otherwise. Their
 * blocks are not read again.
 */
export function otherSegments(dataDir: string, source: ScannedChain['source']): readonly string[] {
  const scanned = readScannedChain(dataDir)
  const isSameKind = (scanned?.source === 'rpc') === (source === 'rpc')
  return (isSameKind ? scanned?.other : scanned?.segments) ?? []
}

/** Heights of stored segments whose names match the hashes of their blocks on the chain. */
export async function readStoredHeights(
  dataDir: string,
  chain: HeaderChain,
  keys: readonly string[],
): Promise<Uint32Array[]> {
  if (keys.length === 0) return []
  return withSession({ temporaryFolder: temporaryFolder(dataDir), threads: 1 }, async (connection) => {
    const lists: Uint32Array[] = []
    for (const { folder, keys: all, chosenKeys, joined } of chooseParts(segmentStore(dataDir), keys).parts) {
      const { segment, height } = await readColumns(
        connection,
        `SELECT ${joined ? 'segment' : '0'}::DOUBLE AS segment, height::DOUBLE AS height
         FROM ${parquetFiles([partFile(folder, 'blocks')])} ORDER BY segment, height`,
      )
      for (const key of chosenKeys) {
        const place = all.indexOf(key)
        const [from, end] = [segment!.indexOf(place), segment!.lastIndexOf(place) + 1]
        const heights = Uint32Array.from(height!.subarray(from, end))
        // Blocks replaced by a reorganisation are scanned again.
        if (isNamedAfter(key, hashesOf(chain, heights))) lists.push(heights)
      }
    }
    return lists
  })
}

const isNamedAfter = (key: string, hashes: Uint8Array): boolean =>
  hashes.length > 0 && (key === segmentKey(hashes, 'off') || key === segmentKey(hashes, 'sample'))

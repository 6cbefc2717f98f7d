import { type BlockFolder, blockFile, undoFile } from './block-folder.ts'
import type { StoredChain } from './block-tree.ts'
import type { FileUnit } from './file-unit.ts'
import { hashAt } from './header-chain.ts'
import type { Network } from './networks.ts'

/**
 * Cuts a stored chain into the units that are read together: one for each block file, in their order; of `chosen` files
 * only where they are named.
 */
export function planFileUnits(
  { folder, key, fileNumbers: stillThere }: BlockFolder,
  network: Network,
  stored: StoredChain,
  chosen?: ReadonlySet<number>,
): FileUnit[] {
  const there = new Set(stillThere)
  const { fileNumbers, offsets, sizes } = stored.locations
  const heightsByFile = new Map<number, number[]>()
  for (const [height, fileNumber] of fileNumbers.entries()) {
    if (chosen && !chosen.has(fileNumber)) continue
    const heights = heightsByFile.get(fileNumber)
    if (heights) heights.push(height)
    else heightsByFile.set(fileNumber, [height])
  }
  const files = [...heightsByFile].sort(([one], [other]) => one - other)
  return files.map(([fileNumber, heights]) => {
    const hashes = new Uint8Array(32 * heights.length)
    for (const [i, height] of heights.entries()) hashes.set(hashAt(stored.chain, height), 32 * i)
    return {
      kind: 'files',
      gone: there.has(fileNumber) ? undefined : `${blockFile(folder, fileNumber)} is gone, as on a pruned node`,
      blockFile: blockFile(folder, fileNumber),
      undoFile: undoFile(folder, fileNumber),
      key,
      magic: network.magic,
      heights: Uint32Array.from(heights),
      hashes,
      offsets: Uint32Array.from(heights, (height) => offsets[height]!),
      sizes: Uint32Array.from(heights, (height) => sizes[height]!),
    }
  })
}

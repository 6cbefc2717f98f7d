import { type BlockFolder, blockFile, undoFile } from './block-folder.ts'
import type { StoredChain } from './block-tree.ts'
import type { FileUnit } from './file-unit.ts'
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
  let [last, lastHeights]: [number, number[]] = [-1, []]
  for (let height = 0; height < fileNumbers.length; height++) {
    const fileNumber = fileNumbers[height]!
    if (fileNumber !== last) {
      last = fileNumber
      lastHeights = heightsByFile.get(fileNumber) ?? []
      if (!chosen || chosen.has(fileNumber)) heightsByFile.set(fileNumber, lastHeights)
    }
    lastHeights.push(height)
  }
  const { buffer, byteOffset, length } = stored.chain.hashes
  const chainWords = new Uint32Array(buffer, byteOffset, length / 4)
  const files = [...heightsByFile].sort(([one], [other]) => one - other)
  return files.map(([fileNumber, heights]) => {
    const count = heights.length
    const columns = {
      heights: new Uint32Array(count),
      hashes: new Uint8Array(32 * count),
      offsets: new Uint32Array(count),
      sizes: new Uint32Array(count),
    }
    const words = new Uint32Array(columns.hashes.buffer)
    for (let i = 0; i < count; i++) {
      const height = heights[i]!
      columns.heights[i] = height
      columns.offsets[i] = offsets[height]!
      columns.sizes[i] = sizes[height]!
      for (let word = 0; word < 8; word++) words[8 * i + word] = chainWords[8 * height + word]!
    }
    return {
      kind: 'files',
      gone: there.has(fileNumber) ? undefined : `${blockFile(folder, fileNumber)} is gone, as on a pruned node`,
      blockFile: blockFile(folder, fileNumber),
      undoFile: undoFile(folder, fileNumber),
      key,
      magic: network.magic,
      ...columns,
    }
  })
}

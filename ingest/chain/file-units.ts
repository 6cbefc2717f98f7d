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
  const files = heightsByFile(fileNumbers).filter(([fileNumber]) => chosen?.has(fileNumber) ?? true)
  const { buffer, byteOffset, length } = stored.chain.hashes
  const chainWords = new Uint32Array(buffer, byteOffset, length / 4)
  return files.map(([fileNumber, heights]) => {
    const count = heights.length
    const columns = {
      heights,
      hashes: new Uint8Array(32 * count),
      offsets: new Uint32Array(count),
      sizes: new Uint32Array(count),
    }
    const words = new Uint32Array(columns.hashes.buffer)
    for (let i = 0; i < count; i++) {
      const height = heights[i]!
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

/** The heights of the blocks of each file that holds any, in the order of the files. */
function heightsByFile(fileNumbers: Uint32Array): [fileNumber: number, heights: Uint32Array][] {
  const highest = fileNumbers.reduce((most, fileNumber) => Math.max(most, fileNumber), 0)
  const counts = new Uint32Array(highest + 1)
  for (let height = 0; height < fileNumbers.length; height++) counts[fileNumbers[height]!]!++
  const columns = Array.from(counts, (count) => new Uint32Array(count))
  counts.fill(0)
  for (let height = 0; height < fileNumbers.length; height++) {
    const fileNumber = fileNumbers[height]!
    columns[fileNumber]![counts[fileNumber]!++] = height
  }
  return [...columns.entries()].filter(([, heights]) => heights.length > 0)
}

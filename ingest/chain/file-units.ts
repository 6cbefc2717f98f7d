import type { BlockIndex } from './block-index.ts'
import { blockFile, undoFile } from './block-index.ts'
import type { StoredChain } from './block-tree.ts'
import type { FileUnit } from './file-unit.ts'
import { hashAt } from './header-chain.ts'
import type { Network } from './networks.ts'

/** Cuts a stored chain into the units that are read together: one for each block file. */
export function planFileUnits(index: BlockIndex, network: Network, { chain, locations }: StoredChain): FileUnit[] {
  const heightsByFile = index.files.map((): number[] => [])
  for (const [height, { file }] of locations.entries()) heightsByFile[file]!.push(height)
  return heightsByFile.flatMap((heights, file) => {
    if (heights.length === 0) return []
    const { fileNumber, offsets, sizes } = index.files[file]!
    const hashes = new Uint8Array(32 * heights.length)
    for (const [i, height] of heights.entries()) hashes.set(hashAt(chain, height), 32 * i)
    return {
      kind: 'files' as const,
      blockFile: blockFile(index.folder, fileNumber),
      undoFile: undoFile(index.folder, fileNumber),
      key: index.key,
      magic: network.magic,
      heights: Uint32Array.from(heights),
      hashes,
      offsets: Uint32Array.from(heights, (height) => offsets[locations[height]!.record]!),
      sizes: Uint32Array.from(heights, (height) => sizes[locations[height]!.record]!),
    }
  })
}

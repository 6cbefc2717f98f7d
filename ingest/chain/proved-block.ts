import { CoinstrataError } from '#base/errors.ts'
import { displayHash } from './bytes.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { corruptBlock, type FileUnit, rangeErrorMessage } from './file-unit.ts'
import type { NodeFile } from './node-file.ts'
import { verifyBlock } from './verify-block.ts'

/** Fetches a block that is damaged in its file from elsewhere, by its hash in display order. */
export type Refetch = (hash: string) => Promise<Uint8Array>

/**
 * Decodes the `i`-th block of a unit into `block` and holds it against its hash. Where its bytes in the file are damaged
 * it is fetched from elsewhere, and `damage` says what is wrong with them. Throws `block_corrupt` where no intact copy is
 * to be had.
 */
export async function readProvedBlock(
  file: NodeFile,
  unit: FileUnit,
  i: number,
  block: DecodedBlock,
  refetch: Refetch | undefined,
): Promise<{ bytes: Uint8Array; damage: string | undefined }> {
  const hash = unit.hashes.subarray(32 * i, 32 * i + 32)
  try {
    const bytes = file.read(unit.offsets[i]!, unit.sizes[i]!)
    verifyBlock(bytes, hash, block)
    return { bytes, damage: undefined }
  } catch (cause) {
    const damage = corruptBlock(unit, i, rangeErrorMessage(cause))
    if (!refetch) throw damage
    const bytes = await refetch(displayHash(hash)).catch((failure: unknown) => {
      throw failure instanceof CoinstrataError ? withoutCopy(damage, failure.message) : failure
    })
    try {
      verifyBlock(bytes, hash, block)
    } catch (same) {
      throw withoutCopy(damage, `the copy that the node returns over RPC ${rangeErrorMessage(same)}`)
    }
    return { bytes, damage: `${damage.message}; it was read over RPC instead` }
  }
}

/** The error for a damaged block of which there is no intact copy either. */
const withoutCopy = ({ code, message, cure }: CoinstrataError, why: string): CoinstrataError =>
  new CoinstrataError(code, `${message}; ${why}`, { cure })

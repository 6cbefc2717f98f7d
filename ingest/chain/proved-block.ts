import { CoinstrataError } from '#base/errors.ts'
import { displayHash } from './bytes.ts'
import type { DecodedBlock } from './decoded-block.ts'
import { corruptBlock, type FileUnit, rangeErrorMessage } from './file-unit.ts'
import { hashAt } from './header-chain.ts'
import type { NodeFile } from './node-file.ts'
import { verifyBlock } from './verify-block.ts'

export type Refetch = (hash: string) => Promise<Uint8Array>

/**
 * Decodes the `i`-th block of a unit and verifies it by its hash. If damaged, uses a fetched copy,
 * and `damage` describes the damage. Throws `block_corrupt` without an intact copy.
 */
export async function readProvedBlock(
  file: NodeFile,
  unit: FileUnit,
  i: number,
  block: DecodedBlock,
  refetch: Refetch | undefined,
): Promise<{ bytes: Uint8Array; damage: string | undefined }> {
  const hash = hashAt(unit, i)
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

const withoutCopy = ({ code, message, cure }: CoinstrataError, why: string): CoinstrataError =>
  new CoinstrataError(code, `${message}; ${why}`, { cure })

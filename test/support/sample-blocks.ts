import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { Block } from 'bitcoinjs-lib'
import { z } from 'zod'
import { parseDay } from '#base/days.ts'
import { doubleSha256 } from '#ingest/chain/bytes.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import { encodeUndo, type SpentOutput, undoChecksum } from '#ingest/simulated/undo-record.ts'
import { findChain, readCoreFiles } from '#test/ingest/simulated/core-files.ts'

/** A block with its spent outputs. */
export interface SampleBlock {
  readonly height: number
  readonly bytes: Uint8Array
  /** In internal byte order. */
  readonly hash: Uint8Array
  readonly previousHash: Uint8Array
  /** Its undo record, without the checksum. */
  readonly undo: Uint8Array
}

/** A real block with the outputs that each transaction except the coinbase spends. */
export interface ModernBlock extends SampleBlock {
  readonly spent: readonly (readonly SpentOutput[])[]
}

const modernFolder = path.resolve(import.meta.dirname, '../../../shared/data/chain')
export const hasModernBlocks = existsSync(path.join(modernFolder, 'block866342_raw.zst'))

const spentOutputsSchema = z.array(
  z.object({
    txout: z.object({ value: z.int(), script_pubkey: z.string() }),
    is_coinbase: z.boolean(),
    creation_height: z.int(),
  }),
)

/** A mainnet block from the optional folder beside the project. */
export function modernBlock(height: number): ModernBlock {
  const read = (kind: string): Buffer =>
    zstdDecompressSync(readFileSync(path.join(modernFolder, `block${height}_${kind}.zst`)))
  const bytes = read('raw')
  const outputs = spentOutputsSchema.parse(JSON.parse(read('spent_utxos').toString())).map((output) => ({
    sats: output.txout.value,
    script: Buffer.from(output.txout.script_pubkey, 'hex'),
    height: output.creation_height,
    coinbase: output.is_coinbase,
  }))
  const transactions = Block.fromBuffer(bytes).transactions ?? []
  const spent = transactions.slice(1).map(({ ins }) => outputs.splice(0, ins.length))
  if (outputs.length > 0) throw new Error(`${outputs.length} outputs too many for block ${height}`)
  return {
    height,
    bytes,
    spent,
    undo: encodeUndo(spent),
    hash: doubleSha256(bytes.subarray(0, 80)),
    ...parentOf(bytes),
  }
}

/** All blocks of a small simulated chain except genesis, with their undo records. */
export async function simulatedBlocks(lastDay: string): Promise<SampleBlock[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-sample-'))
  try {
    const { tipHash } = await makeSimulatedChain({ folder, seed: 7, endDay: parseDay(lastDay), size: 'tiny' })
    const files = readCoreFiles(path.join(folder, 'blocks'))
    // A record begins with its number of transactions, here always in one byte.
    const recordsByCount = Map.groupBy(files.undo, ({ bytes }) => bytes[0])
    return findChain(files, tipHash)
      .chain.slice(1)
      .map(({ height, bytes, block }) => {
        const parent = parentOf(bytes)
        const fits = ({ bytes: record }: { bytes: Buffer }): boolean =>
          record.subarray(-32).equals(undoChecksum(parent.previousHash, record.subarray(0, -32)))
        const record = recordsByCount.get((block.transactions?.length ?? 0) - 1)?.find(fits)
        if (!record) throw new Error(`block ${height} has no undo record`)
        return {
          height,
          bytes,
          undo: record.bytes.subarray(0, -32),
          hash: doubleSha256(bytes.subarray(0, 80)),
          ...parent,
        }
      })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const parentOf = (bytes: Uint8Array): { previousHash: Uint8Array } => ({ previousHash: bytes.subarray(4, 36) })

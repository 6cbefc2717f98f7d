import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { networks } from '#ingest/chain/networks.ts'

/**
 * Reads Bitcoin Core's files with nothing but bitcoinjs-lib and OpenSSL's SHA-256, as a reference
 * for the simulation.
 */

export interface FileRecord {
  file: number
  bytes: Buffer
}

export interface CoreFiles {
  blocks: FileRecord[]
  /** Undo data followed by the checksum. */
  undo: FileRecord[]
  /** Names of files that end in preallocated space. */
  allocated: string[]
  /** Names of files that end within a record. */
  cut: string[]
}

export function readCoreFiles(folder: string, magic: number = networks.simulated.magic): CoreFiles {
  const key = readFileSync(join(folder, 'xor.dat'))
  const found: CoreFiles = { blocks: [], undo: [], allocated: [], cut: [] }
  for (const name of readdirSync(folder).sort()) {
    if (!/^(blk|rev)\d{5}\.dat$/.test(name)) continue
    const onDisk = readFileSync(join(folder, name))
    const plain = Buffer.from(onDisk)
    for (let i = 0; i < plain.length; i++) plain[i]! ^= key[i % 8]!
    const isUndo = name.startsWith('rev')
    const records = isUndo ? found.undo : found.blocks
    for (let at = 0; at < plain.length; ) {
      if (onDisk.subarray(at).every((byte) => byte === 0)) {
        found.allocated.push(name)
        break
      }
      if (plain.readUInt32LE(at) !== magic) throw new Error(`no record at ${name}:${at}`)
      const end = at + 8 + plain.readUInt32LE(at + 4) + (isUndo ? 32 : 0)
      if (end > plain.length) {
        found.cut.push(name)
        break
      }
      records.push({ file: Number(name.slice(3, 8)), bytes: plain.subarray(at + 8, end) })
      at = end
    }
  }
  return found
}

export interface ChainBlock {
  height: number
  hash: string
  block: Block
  bytes: Buffer
  file: number
}

/** The chain from genesis to `tipHash`, and the hashes of all other blocks in the files. */
export function findChain(files: CoreFiles, tipHash: string): { chain: ChainBlock[]; stale: Set<string> } {
  const byHash = new Map<string, FileRecord>()
  for (const record of files.blocks) byHash.set(hashBlock(record.bytes), record)
  const chain: ChainBlock[] = []
  const stale = new Set(byHash.keys())
  for (let hash = tipHash; hash !== '00'.repeat(32); ) {
    const record = byHash.get(hash)
    if (record === undefined) throw new Error(`block ${hash} is not in the files`)
    const block = Block.fromBuffer(record.bytes)
    chain.push({ height: 0, hash, block, ...record })
    stale.delete(hash)
    hash = display(record.bytes.subarray(4, 36))
  }
  chain.reverse()
  for (const [height, block] of chain.entries()) block.height = height
  return { chain, stale }
}

function hashBlock(block: Buffer): string {
  return display(hash256(block.subarray(0, 80)))
}

export const hash256 = (bytes: Uint8Array): Buffer => hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer')

export function display(hash: Uint8Array): string {
  return Buffer.from(hash).reverse().toString('hex')
}

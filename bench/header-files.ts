import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { doubleSha256, internalHash } from '#ingest/chain/bytes.ts'
import { networks } from '#ingest/chain/networks.ts'

/** So many blocks in so many files. */
export interface HeaderFiles {
  readonly files: number
  readonly blocks: number
}

/** As many as the main network has. */
export const mainnetShape: HeaderFiles = { files: 5_200, blocks: 920_000 }

/** That of the first block of regtest. */
const firstTime = 1_296_688_602
/** A little more than ten minutes: mainnet's blocks fill 6,500 days. */
const secondsApart = 611
/** Bytes of a block: what lies behind the header is never looked at. */
const blockBytes = 100

export const blockTime = (height: number): number => firstTime + secondsApart * height
export const blocksInFile = ({ files, blocks }: HeaderFiles): number => Math.ceil(blocks / files)

/**
 * A folder of block files whose blocks are nothing but headers, with proof of work on regtest, each on top of the one
 * before. Made once.
 */
export function makeHeaderFiles(target: string, shape: HeaderFiles): void {
  if (existsSync(target)) return
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const header = Buffer.alloc(80)
  let previous = internalHash(networks.regtest.genesisHash)
  const perFile = blocksInFile(shape)
  for (let file = 0; file * perFile < shape.blocks; file++) {
    const records: Uint8Array[] = file === 0 ? [record(regtestGenesis)] : []
    for (let height = Math.max(1, file * perFile); height < Math.min(shape.blocks, (file + 1) * perFile); height++) {
      header.set(previous, 4)
      header.writeUInt32LE(blockTime(height), 68)
      header.writeUInt32LE(networks.regtest.easiestBits, 72)
      previous = doubleSha256(header)
      for (let nonce = 0; previous[31]! > 0x7e; previous = doubleSha256(header)) header.writeUInt32LE(nonce++, 76)
      records.push(record(header))
    }
    writeFileSync(path.join(unfinished, `blk${String(file).padStart(5, '0')}.dat`), Buffer.concat(records))
  }
  renameSync(unfinished, target)
}

function record(header: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(8 + blockBytes)
  bytes.writeUInt32LE(networks.regtest.magic)
  bytes.writeUInt32LE(blockBytes, 4)
  bytes.set(header, 8)
  return bytes
}

const regtestGenesis = Buffer.from(
  `01000000${'00'.repeat(32)}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000`,
  'hex',
)

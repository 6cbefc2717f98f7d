import { writeFileSync } from 'node:fs'
import { blockFile } from '#ingest/chain/block-folder.ts'
import { doubleSha256, internalHash } from '#ingest/chain/bytes.ts'
import { networks } from '#ingest/chain/networks.ts'
import { deobfuscate, keyFile } from '#ingest/chain/obfuscation.ts'

export interface HeaderFiles {
  /** For folder names. */
  readonly suffix: string
  readonly files: number
  readonly blocks: number
}

export const mainnetShape: HeaderFiles = { suffix: '', files: 5_200, blocks: 920_000 }

const firstTime = 1_296_688_602
/** Slightly above ten minutes, so mainnet's blocks fill 6,500 days. */
const secondsPerBlock = 611
/** Only headers are read. */
const blockBytes = 100
const key = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

export const blockTime = (height: number): number => firstTime + secondsPerBlock * height
export const blocksInFile = ({ files, blocks }: HeaderFiles): number => Math.ceil(blocks / files)

/** Writes block files with a chain of headers; regtest proof of work. */
export function writeHeaderFiles(folder: string, shape: HeaderFiles): void {
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
    const bytes = Buffer.concat(records)
    // XOR obfuscates too.
    deobfuscate(bytes, key, 0)
    writeFileSync(blockFile(folder, file), bytes)
  }
  writeFileSync(keyFile(folder), key)
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

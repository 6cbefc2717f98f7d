import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { secondsPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { asBytes } from '#ingest/chain/bytes.ts'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import { networkNames } from '#ingest/chain/networks.ts'
import { readIntact, readIntactJson, writeIntact, writeIntactJson } from '#sql/intact-file.ts'
import { addressModes } from '../address-sample.ts'
import type { UnitBlocks } from '../addresses/address-store.ts'

const scannedChainSchema = z.object({
  version: z.literal(3),
  network: z.enum(networkNames),
  source: z.enum(['files', 'rpc', 'simulated']),
  tip: z.object({ height: z.int(), hash: z.string() }),
  /** Expected hashes of the whole chain, hexadecimal. */
  work: z.string(),
  /** Segments that together contain each block once. */
  segments: z.array(z.string()),
  /** Last height of each segment. */
  lastHeights: z.array(z.int()),
  /** Format of segments, and the addresses that they have. */
  format: z.int().optional(),
  addresses: z.enum(addressModes).optional(),
  /** Those scanned before a change between files and RPC, which divide blocks otherwise. */
  other: z.array(z.string()).optional(),
  /** Stored outputs of labelled addresses, and how many known addresses all segments have. */
  labelled: z.object({ keys: z.array(z.string()), count: z.int() }).optional(),
  /** The node's sums of unspent outputs after the tip; `null` without a node. */
  node: z.object({ outputs: z.int(), sats: z.int() }).nullable(),
  notes: z.array(z.string()),
})

export type ScannedChain = z.infer<typeof scannedChainSchema>

const rawFolder = (dataDir: string): string => path.join(dataDir, 'raw')
const manifestFile = (dataDir: string): string => path.join(rawFolder(dataDir), 'chain.json')
const blocksFile = (dataDir: string, { tip }: ScannedChain): string =>
  path.join(rawFolder(dataDir), `chain-${tip.hash}.blocks`)

export type ScannedBlocks = Pick<HeaderChain, 'hashes' | 'times' | 'days'>

const hashBytes = 32
const timeBytes = 4

/** Returns `undefined` if no chain was scanned. */
export function readScannedChain(dataDir: string): ScannedChain | undefined {
  const file = manifestFile(dataDir)
  return readIntactJson(file, scannedChainSchema, (cause) => damaged(file, cause))
}

/** Segments of a chain, in the form for counting addresses. */
export const scannedUnits = ({ segments, lastHeights }: ScannedChain): UnitBlocks[] =>
  segments.map((key, i) => ({ key, firstHeight: 0, lastHeight: lastHeights[i]! }))

export function readScannedBlocks(dataDir: string, scanned: ScannedChain): ScannedBlocks {
  const file = blocksFile(dataDir, scanned)
  const count = scanned.tip.height + 1
  const bytes = readIntact(file)
  if (bytes?.length !== count * (hashBytes + timeBytes)) throw damaged(file)
  const times = new Uint32Array(bytes.buffer, count * hashBytes, count)
  const days = Int32Array.from(times, (time) => Math.floor(time / secondsPerDay))
  return { hashes: bytes.subarray(0, count * hashBytes), times, days }
}

const damaged = (file: string, cause?: unknown): CoinstrataError =>
  new CoinstrataError('invalid_file', `${file} is missing or damaged`, {
    cause,
    cure: 'remove it and run "coinstrata update": scanned segments are used again',
  })

export function writeScannedChain(
  dataDir: string,
  { hashes, times }: Omit<ScannedBlocks, 'days'>,
  scanned: ScannedChain,
): void {
  const file = blocksFile(dataDir, scanned)
  const content = Buffer.concat([hashes, asBytes(times)])
  if (!content.equals(readIntact(file) ?? new Uint8Array())) writeIntact(file, [content])
  writeIntactJson(manifestFile(dataDir), scanned)
  for (const name of readdirSync(rawFolder(dataDir))) {
    if (/^chain-.*\.blocks$/.test(name) && name !== path.basename(file)) {
      rmSync(path.join(rawFolder(dataDir), name))
    }
  }
}

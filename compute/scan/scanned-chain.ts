import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { secondsPerDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { HeaderChain } from '#ingest/chain/header-chain.ts'
import { networkNames } from '#ingest/chain/networks.ts'
import { formatChecked, parseChecked } from '#sql/checked-json.ts'
import { replaceFile } from '#sql/files.ts'
import type { ChainDays, UnitBlocks } from '../addresses/activity-store.ts'

const scannedChainSchema = z.object({
  version: z.literal(3),
  network: z.enum(networkNames),
  source: z.enum(['files', 'rpc', 'simulated']),
  tip: z.object({ height: z.int(), hash: z.string() }),
  /** Expected number of hashes of the whole chain, in hexadecimal. */
  work: z.string(),
  /** Segments that together contain each block of the chain once. */
  segments: z.array(z.string()),
  /** Height of the last block of each segment; missing in chains of earlier versions. */
  lastHeights: z.array(z.int()).optional(),
  /**
   * SHA-256 of the file with the hashes and times of all blocks; missing in chains of earlier
   * versions.
   */
  blocksSha256: z.string().optional(),
  /** Hash of the labelled addresses whose outputs are stored for all segments. */
  labels: z.string().optional(),
  /** The node's sums of unspent outputs after the tip; `null` if no node could be asked. */
  node: z.object({ outputs: z.int(), sats: z.int() }).nullable(),
  notes: z.array(z.string()),
})

export type ScannedChain = z.infer<typeof scannedChainSchema>

const rawFolder = (dataDir: string): string => path.join(dataDir, 'raw')
const manifestFile = (dataDir: string): string => path.join(rawFolder(dataDir), 'chain.json')
const blocksFile = (dataDir: string, { tip }: ScannedChain): string =>
  path.join(rawFolder(dataDir), `chain-${tip.hash}.blocks`)

export type ScannedBlocks = Pick<HeaderChain, 'hashes' | 'times'>

const hashBytes = 32
const timeBytes = 4

const earlierSchema = z.object({ version: z.literal([1, 2]) })

/**
 * Returns `undefined` if no chain was scanned, or only by an earlier version with another format.
 */
export function readScannedChain(dataDir: string): ScannedChain | undefined {
  const file = manifestFile(dataDir)
  if (!existsSync(file)) return undefined
  try {
    const content = parseChecked(readFileSync(file, 'utf8'))
    return earlierSchema.safeParse(content).success ? undefined : scannedChainSchema.parse(content)
  } catch (cause) {
    throw damaged(file, cause)
  }
}

export const chainDays = ({ hashes, times }: ScannedBlocks): ChainDays => ({
  hashes,
  days: Int32Array.from(times, (time) => Math.floor(time / secondsPerDay)),
})

/** The segments of a chain, in the form that the counts of addresses take. */
export const scannedUnits = ({ segments, lastHeights }: ScannedChain): UnitBlocks[] =>
  segments.map((key, i) => ({ key, firstHeight: 0, lastHeight: lastHeights?.[i] ?? Number.POSITIVE_INFINITY }))

export function readScannedBlocks(dataDir: string, scanned: ScannedChain): ScannedBlocks {
  const file = blocksFile(dataDir, scanned)
  const count = scanned.tip.height + 1
  try {
    const bytes = readFileSync(file)
    if (scanned.blocksSha256 !== undefined && scanned.blocksSha256 !== hash('sha256', bytes))
      throw new Error('it has changed')
    if (bytes.length !== count * (hashBytes + timeBytes)) throw new Error(`it has ${bytes.length} bytes`)
    const hashes = bytes.subarray(0, count * hashBytes)
    const timesAt = bytes.byteOffset + hashes.length
    return { hashes, times: new Uint32Array(bytes.buffer.slice(timesAt, timesAt + count * timeBytes)) }
  } catch (cause) {
    throw damaged(file, cause)
  }
}

const damaged = (file: string, cause: unknown): CoinstrataError =>
  new CoinstrataError('invalid_file', `${file} is missing or damaged`, {
    cause,
    cure: 'remove it and run "coinstrata update": scanned segments are used again',
  })

export function writeScannedChain(dataDir: string, { hashes, times }: ScannedBlocks, scanned: ScannedChain): void {
  mkdirSync(rawFolder(dataDir), { recursive: true })
  const file = blocksFile(dataDir, scanned)
  const content = Buffer.concat([hashes, new Uint8Array(times.buffer, times.byteOffset, times.byteLength)])
  const blocksSha256 = hash('sha256', content)
  if (!existsSync(file) || !readFileSync(file).equals(content)) replaceFile(file, content)
  replaceFile(manifestFile(dataDir), formatChecked({ ...scanned, blocksSha256 }))
  for (const name of readdirSync(rawFolder(dataDir))) {
    if (/^chain-.*\.(blocks|parquet)$/.test(name) && name !== path.basename(file)) {
      rmSync(path.join(rawFolder(dataDir), name))
    }
  }
}

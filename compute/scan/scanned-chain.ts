import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'
import { displayHash } from '#ingest/chain/bytes.ts'
import { type HeaderChain, hashAt } from '#ingest/chain/header-chain.ts'
import { networkNames } from '#ingest/chain/networks.ts'
import { CoinstrataError } from '#root/errors.ts'
import { replaceFile, syncPath, unfinishedName } from '#sql/files.ts'
import { writeParquet } from '#sql/parquet.ts'

const scannedChainSchema = z.object({
  version: z.literal(1),
  network: z.enum(networkNames),
  source: z.enum(['files', 'rpc', 'simulated']),
  tip: z.object({ height: z.int(), hash: z.string() }),
  /** Expected number of hashes of the whole chain, in hexadecimal. */
  work: z.string(),
  /** Segments that together cover each block of the chain once. */
  segments: z.array(z.string()),
  /** What the node itself says of its unspent outputs after the tip; `null` where none could be asked. */
  node: z.object({ outputs: z.int(), sats: z.int() }).nullable(),
  /** Why the node was not asked; sentences for people. */
  notes: z.array(z.string()),
})

/** What `ingest` leaves behind for `compute`: which segments make up which chain. */
export type ScannedChain = z.infer<typeof scannedChainSchema>

const rawFolder = (dataDir: string): string => path.join(dataDir, 'raw')
const manifestFile = (dataDir: string): string => path.join(rawFolder(dataDir), 'chain.json')

/** Parquet file with the columns `height` and `hash` (display order) of every block of a scanned chain. */
export const chainFile = (dataDir: string, { tip }: ScannedChain): string =>
  path.join(rawFolder(dataDir), `chain-${tip.hash}.parquet`)

/** The chain that the last `ingest` scanned, if there was one. */
export function readScannedChain(dataDir: string): ScannedChain | undefined {
  const file = manifestFile(dataDir)
  if (!existsSync(file)) return undefined
  try {
    return scannedChainSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CoinstrataError('invalid_file', `${file} is damaged`, {
      cause,
      cure: 'remove it and run "coinstrata update": scanned segments are used again',
    })
  }
}

export async function writeScannedChain(
  connection: DuckDBConnection,
  dataDir: string,
  chain: HeaderChain,
  scanned: ScannedChain,
): Promise<void> {
  mkdirSync(rawFolder(dataDir), { recursive: true })
  const file = chainFile(dataDir, scanned)
  if (!existsSync(file)) {
    await connection.run('CREATE OR REPLACE TEMP TABLE scanned_chain (height INTEGER, hash VARCHAR)')
    const appender = await connection.createAppender('scanned_chain')
    for (let height = 0; height <= chain.tipHeight; height++) {
      appender.appendInteger(height)
      appender.appendVarchar(displayHash(hashAt(chain, height)))
      appender.endRow()
    }
    appender.closeSync()
    const unfinished = unfinishedName(file)
    await writeParquet(connection, unfinished, 'SELECT * FROM scanned_chain ORDER BY height')
    await connection.run('DROP TABLE scanned_chain')
    syncPath(unfinished)
    renameSync(unfinished, file)
  }
  replaceFile(manifestFile(dataDir), `${JSON.stringify(scanned, null, 2)}\n`)
  for (const name of readdirSync(rawFolder(dataDir))) {
    if (/^chain-.*\.parquet$/.test(name) && name !== path.basename(file)) rmSync(path.join(rawFolder(dataDir), name))
  }
}

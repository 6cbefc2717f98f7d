import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { doubleSha256 } from '#ingest/chain/bytes.ts'
import { networks } from '#ingest/chain/networks.ts'
import { print } from './report.ts'

const files = 5_200
const blocks = 920_000
/** Bytes of a block: what lies behind the header is never looked at. */
const blockBytes = 100

const shapeSchema = z.object({ seconds: z.number(), cpuSeconds: z.number(), megabytes: z.number(), blocks: z.int() })

/** The header tree of mainnet's shape, first from its files and then from the cache, each in a process of its own. */
export function benchHeaders(folder: string): Promise<void> {
  const blocksFolder = path.join(folder, 'header-files')
  const cacheFolder = path.join(folder, 'header-cache')
  if (!existsSync(blocksFolder)) writeHeaderFiles(blocksFolder)
  rmSync(cacheFolder, { recursive: true, force: true })
  const read = () => {
    const program = new URL('./read-headers.ts', import.meta.url).pathname
    const output = execFileSync(process.execPath, [program, blocksFolder, cacheFolder], { encoding: 'utf8' })
    return shapeSchema.parse(JSON.parse(output))
  }
  console.log(`\nheaders: ${blocks} blocks in ${files} files`)
  for (const [work, aim] of [
    ['tree and chain, from the block files', undefined],
    ['tree and chain, from the cache', '1 s, 150 MB'],
  ] as const) {
    const { seconds, cpuSeconds, megabytes, blocks: found } = read()
    if (found !== blocks) throw new Error(`${found} of ${blocks} blocks were found`)
    const figure = `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU)`
    print({ work, figure, beside: `${megabytes.toFixed(0)} MB more than an empty process`, ...(aim && { aim }) })
  }
  return Promise.resolve()
}

/** Headers with proof of work on regtest, each on top of the one before, in records as a node writes them. */
function writeHeaderFiles(target: string): void {
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const header = Buffer.alloc(80)
  let previous: Uint8Array = Buffer.from(networks.regtest.genesisHash, 'hex').reverse()
  const perFile = Math.ceil(blocks / files)
  for (let file = 0; file < files; file++) {
    const records: Uint8Array[] = file === 0 ? [record(regtestGenesis)] : []
    for (let height = Math.max(1, file * perFile); height < Math.min(blocks, (file + 1) * perFile); height++) {
      header.set(previous, 4)
      header.writeUInt32LE(1_300_000_000 + 600 * height, 68)
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

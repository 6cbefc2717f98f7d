import { closeSync, existsSync, fstatSync, linkSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Piscina } from 'piscina'
import { addressStores } from '#compute/addresses/address-stores.ts'
import { readKnownAddresses } from '#compute/labels/known-addresses.ts'
import { withUnitScanner } from '#compute/scan/unit-scanner.ts'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { planFileUnits } from '#ingest/chain/file-unit.ts'
import { networks } from '#ingest/chain/networks.ts'
import { deobfuscate } from '#ingest/chain/obfuscation.ts'
import type { Random } from '#ingest/simulated/random.ts'
import { drawLifetime } from '#ingest/simulated/spending.ts'
import { writeFullBlocks } from './full-blocks.ts'
import { type HeaderFiles, mainnetShape, writeHeaderFiles } from './header-files.ts'
import { createOnce, fastest, formatPeak, gigabytesPerSecond, type Measured, measure, print } from './report.ts'

const headerFiles: HeaderFiles = { ...mainnetShape, files: 100 }
const fullBlocks = 2_600
/** Before the full blocks, lifetimes count simulated blocks: 2.95 a day. */
const lifetimeScale = 144 / 2.95
const runs = 3

/** Scans full blocks, compared with reading the files, and with reading and deobfuscating them. */
export async function benchScan(folder: string): Promise<void> {
  const place = (name: string): string => path.join(folder, `scan-${name}`)
  const [chainFolder, fullFolder, headers] = [place('chain'), place('blocks'), place('headers')] as const
  console.log('making a chain of full blocks, unless it is there (a few minutes, 5 GB)')
  await createOnce(chainFolder, (unfinished) => writeHeaderFiles(unfinished, headerFiles))
  const drawCreation = (random: Random, height: number, tipHeight: number): number => {
    const age = Math.max(1, drawLifetime(random))
    const older = age - (height - tipHeight)
    return older < 0 ? height - age : Math.max(1, tipHeight - Math.round(lifetimeScale * older))
  }
  await createOnce(fullFolder, (unfinished) =>
    writeFullBlocks(unfinished, chainFolder, headers, fullBlocks, drawCreation),
  )
  for (const name of readdirSync(fullFolder)) {
    const linked = path.join(chainFolder, name)
    if (!existsSync(linked)) linkSync(path.join(fullFolder, name), linked)
  }
  const network = networks.regtest
  const blocks = openBlockFolder(chainFolder)
  const stored = (await readBlockTree(blocks, network, headers)).bestChain()
  const { chain } = stored
  const units = planFileUnits(blocks, network, stored, new Set(blocks.fileNumbers.slice(headerFiles.files)))
  const files = units.map(({ blockFile, undoFile }) => [blockFile, undoFile])

  const threads = os.availableParallelism()
  const pool = new Piscina<ReadTask, number>({
    filename: import.meta.url,
    minThreads: threads,
    maxThreads: threads,
  })
  const read = async (key: Uint8Array | undefined): Promise<number> => {
    const sizes = await Promise.all(files.map((pair) => pool.run({ files: pair, key })))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  const bytes = await read(undefined)
  const reading = await fastest(runs, async () => void (await read(undefined)))
  const xoring = await fastest(runs, async () => void (await read(blocks.key)))
  await pool.destroy()

  const dataDir = path.join(folder, 'scan')
  const options = {
    dataDir,
    network: network.name,
    referee: undefined,
    proveBytes: 0,
    addresses: 'sample' as const,
    addressStores: addressStores(dataDir, 'sample'),
    known: readKnownAddresses(dataDir),
    onProgress: () => {},
  }
  const scan = async (): Promise<ScanPhases> => {
    rmSync(dataDir, { recursive: true, force: true })
    const begin = performance.now()
    return withUnitScanner(options, async (scanUnits) => {
      const opened = (performance.now() - begin) / 1000
      // The first half includes starting threads and compilation (a real chain has a hundred times
      // as many files): its extra time is the start-up time.
      const half = units.length >>> 1
      const first = await measure(() => scanUnits(chain, units.slice(0, half)))
      const steady = await measure(async () => {
        const { bytes } = await scanUnits(chain, units.slice(half))
        return { bytes: bytes - first.result.bytes }
      })
      const startUp = opened + first.seconds - (steady.seconds * first.result.bytes) / steady.result.bytes
      return { startUp, steady, seconds: opened + first.seconds + steady.seconds }
    })
  }
  const phases: ScanPhases[] = []
  for (let run = 0; run < runs; run++) phases.push(await scan())
  rmSync(dataDir, { recursive: true, force: true })
  const best = (figure: (phases: ScanPhases) => number): number => Math.min(...phases.map(figure))
  const seconds = best((run) => run.seconds)
  const share = (limit: number): string => `${((100 * limit) / seconds).toFixed(0)} %`
  console.log(
    `\nscan: ${(bytes / 1e9).toFixed(2)} GB of block and undo files, ${fullBlocks} blocks, ${units.length} file pairs, ${threads} threads, from page cache, best of ${runs}`,
  )
  print('only reading', gigabytesPerSecond(bytes, reading))
  print('reading and de-obfuscating', gigabytesPerSecond(bytes, xoring))
  print('scan', `${gigabytesPerSecond(bytes, seconds)} in ${seconds.toFixed(2)} s`, {
    beside: `${share(reading)} of reading, ${share(xoring)} of reading and de-obfuscating`,
    aim: '2.5 GB/s',
  })
  const startUp = best((run) => Math.max(0, run.startUp))
  print('scan: start-up', `${startUp.toFixed(2)} s`, { aim: '1 s' })
  const cpuPerGigabyte = best(({ steady }) => steady.cpuSeconds / (steady.result.bytes / 1e9))
  print('scan: steady state, with segments written', `${cpuPerGigabyte.toFixed(2)} CPU-s/GB`, {
    aim: '1.0 CPU-s/GB, stretch 0.85',
  })
  print('', formatPeak(), { aim: '1.5 GB' })
}

interface ScanPhases {
  /** Extra seconds of the first units. */
  readonly startUp: number
  readonly steady: Measured<{ readonly bytes: number }>
  readonly seconds: number
}

interface ReadTask {
  readonly files: readonly string[]
  readonly key: Uint8Array | undefined
}

let buffer = new Uint8Array(0)

/** Reads files into one buffer: the upper limit of a scan's speed. Returns their size. */
export default function readFiles({ files, key }: ReadTask): number {
  let total = 0
  for (const file of files) {
    const descriptor = openSync(file, 'r')
    const { size } = fstatSync(descriptor)
    if (buffer.length < size) buffer = new Uint8Array(size + (1 << 20))
    const bytes = buffer.subarray(0, size)
    for (let at = 0; at < size; ) at += readSync(descriptor, bytes, at, size - at, at)
    closeSync(descriptor)
    if (key) deobfuscate(bytes, key, 0)
    total += size
  }
  return total
}

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Piscina } from 'piscina'
import { withUnitScanner } from '#compute/scan/scan-units.ts'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { planFileUnits } from '#ingest/chain/file-units.ts'
import { networks } from '#ingest/chain/networks.ts'
import { makeSimulatedChain } from '#ingest/simulated/chain.ts'
import type { ReadTask } from './read-worker.ts'
import { fastest, gigabytesPerSecond, peakMemory, print } from './report.ts'

const endDay = Date.UTC(2026, 9, 1) / 86_400_000
const runs = 3

/** The scan of full blocks, beside only reading, and only reading and de-obfuscating, the same files. */
export async function benchScan(folder: string): Promise<void> {
  const chainFolder = path.join(folder, 'chain')
  if (!existsSync(path.join(chainFolder, 'blocks'))) {
    console.log('making a chain of full blocks (a few minutes, 5 GB, once)')
    mkdirSync(chainFolder, { recursive: true })
    await makeSimulatedChain({ folder: chainFolder, seed: 1, endDay, size: 'bench' })
  }
  const network = networks.simulated
  const blocks = openBlockFolder(path.join(chainFolder, 'blocks'))
  const stored = (await readBlockTree(blocks, network, path.join(folder, 'headers'))).bestChain()
  const { chain } = stored
  const units = planFileUnits(blocks, network, stored)
  const files = units.map(({ blockFile, undoFile }) => [blockFile, undoFile])

  const threads = os.availableParallelism()
  const pool = new Piscina<ReadTask, number>({
    filename: new URL('./read-worker.ts', import.meta.url).href,
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
  let pairs = 0
  const scanning = await fastest(runs, async () => {
    rmSync(dataDir, { recursive: true, force: true })
    const options = { dataDir, network: network.name, referee: undefined, proveBytes: 0, onProgress: () => {} }
    const { keys } = await withUnitScanner(options, (scanUnits) => scanUnits(chain, units))
    pairs = keys.length
  })
  rmSync(dataDir, { recursive: true, force: true })
  const share = (limit: number): string => `${((100 * limit) / scanning).toFixed(0)} %`
  console.log(
    `\nscan: ${(bytes / 1e9).toFixed(2)} GB of block and undo files, ${chain.tipHeight + 1} blocks, ${pairs} file pairs, ${threads} threads, from page cache, fastest of ${runs}`,
  )
  print({ work: 'only reading', figure: gigabytesPerSecond(bytes, reading) })
  print({ work: 'reading and de-obfuscating', figure: gigabytesPerSecond(bytes, xoring) })
  print({
    work: 'scan',
    figure: `${gigabytesPerSecond(bytes, scanning)} in ${scanning.toFixed(2)} s`,
    beside: `${share(reading)} of reading, ${share(xoring)} of reading and de-obfuscating`,
    aim: '2.5 GB/s',
  })
  print({ work: '', figure: peakMemory(), aim: '1.5 GB' })
}

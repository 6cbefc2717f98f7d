import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { publishFolder, removeUnfinished, unfinishedName } from '#sql/files.ts'
import { networks } from '../chain/networks.ts'
import { BlockStorage } from './block-storage.ts'
import { lastHeightOn, timeOf } from './calendar.ts'
import type { ChainPlan, ChainTotals } from './chain-plan.ts'
import { writeFullBlocks } from './full-blocks.ts'
import { writeLifelikeBlocks } from './lifelike-blocks.ts'

/** `tiny` lives through all of Bitcoin's eras in 400 days, `demo` in the real ones, `bench` ends in 4 GB of full blocks. */
export type SimulatedSize = 'tiny' | 'demo' | 'bench'

export interface SimulatedChainOptions {
  /** Gets the subfolder `blocks`, as in a node's data directory. */
  readonly folder: string
  readonly seed: number
  /** Unix day of the last block. */
  readonly endDay: number
  /** No block is made for a later time than this, unix seconds. */
  readonly until?: number | undefined
  readonly size: SimulatedSize
  readonly onProgress?: ((progress: { height: number; tipHeight: number }) => void) | undefined
}

export interface SimulatedChain extends ChainTotals {
  readonly tipHeight: number
  readonly files: number
  /** Bytes of all block and undo files. */
  readonly bytes: number
}

const fileBytes: Record<SimulatedSize, number> = { tiny: 2 ** 20, demo: 2 ** 22, bench: 2 ** 27 }

/** Height of the last block of a simulated chain. */
export function simulatedTip({ seed, endDay, until = Number.POSITIVE_INFINITY }: SimulatedTipOptions): number {
  let height = lastHeightOn(endDay)
  while (timeOf(seed, height) > until) height--
  return height
}

type SimulatedTipOptions = Pick<SimulatedChainOptions, 'seed' | 'endDay' | 'until'>

/**
 * Makes the simulated chain up to `endDay` in `folder/blocks`, in Bitcoin Core's own files, replacing what was there.
 * The same seed gives the same bytes, and a later `endDay` the same blocks and more. What a killed run leaves behind is
 * never in the place of the chain, and is removed by the next; one run at a time may work in `folder`. Throws
 * `invalid_argument` for an `endDay` before 2009-01-03, `disk_full`.
 */
export async function makeSimulatedChain(options: SimulatedChainOptions): Promise<SimulatedChain> {
  const { folder, seed, size } = options
  const tipHeight = simulatedTip(options)
  const target = join(folder, 'blocks')
  const unfinished = unfinishedName(target)
  const replaced = unfinishedName(join(folder, 'replaced'))
  await mkdir(folder, { recursive: true })
  removeUnfinished(folder)
  await mkdir(unfinished)
  const storage = new BlockStorage({
    folder: unfinished,
    magic: networks.simulated.magic,
    key: hash('sha256', `${seed}/xor`, 'buffer').subarray(0, 8),
    fileBytes: fileBytes[size],
  })
  const totals = await writeBlocks(size, {
    seed,
    tipHeight,
    storage,
    onHeight: (height) => options.onProgress?.({ height, tipHeight }),
  })
  if (existsSync(target)) await rename(target, replaced)
  publishFolder(unfinished, target)
  await rm(replaced, { recursive: true, force: true })
  return { ...totals, tipHeight, files: storage.files, bytes: storage.bytes }
}

function writeBlocks(size: SimulatedSize, plan: ChainPlan): Promise<ChainTotals> {
  switch (size) {
    case 'tiny':
      return writeLifelikeBlocks({ ...plan, historySpeed: 16 })
    case 'demo':
      return writeLifelikeBlocks({ ...plan, historySpeed: 1 })
    case 'bench':
      return writeFullBlocks({ ...plan, bodies: 520, repeats: 5 })
  }
}

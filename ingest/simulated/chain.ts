import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { publishFolder, removeUnfinished, unfinishedPath } from '#sql/files.ts'
import { networks } from '../chain/networks.ts'
import { BlockStorage } from './block-storage.ts'
import { blockTime, lastHeightOn } from './calendar.ts'
import { writeLifelikeBlocks } from './lifelike-blocks.ts'

/** `tiny` has all of Bitcoin's eras in 400 days, `thin` in four years, `demo` their real length. */
const sizes = {
  tiny: { fileBytes: 2 ** 20, historySpeed: 16, density: 1 },
  thin: { fileBytes: 2 ** 18, historySpeed: 4, density: 0.1 },
  demo: { fileBytes: 2 ** 22, historySpeed: 1, density: 0.5 },
}
export type SimulatedSize = keyof typeof sizes

export interface SimulatedChainOptions {
  /** Parent of `blocks`, like a node's data directory. */
  readonly folder: string
  readonly seed: number
  /** Unix day. */
  readonly endDay: number
  /** Unix seconds; no block is later. */
  readonly until?: number | undefined
  readonly size: SimulatedSize
  readonly onProgress?: ((progress: { height: number; tipHeight: number }) => void) | undefined
}

export interface SimulatedChain {
  readonly tipHeight: number
  /** In display order. */
  readonly tipHash: string
}

type TipOptions = Pick<SimulatedChainOptions, 'seed' | 'endDay' | 'until'>

export function simulatedTip({ seed, endDay, until = Number.POSITIVE_INFINITY }: TipOptions): number {
  let height = lastHeightOn(endDay)
  while (blockTime(seed, height) > until) height--
  return height
}

/**
 * Writes the simulated chain up to `endDay` to `folder/blocks` in Bitcoin Core's formats, replacing
 * earlier chains. The same seed gives the same bytes; a later `endDay` only adds blocks. Remains of
 * a killed run never take the chain's place; the next run removes them. Only one run may use
 * `folder` at a time.
 */
export async function makeSimulatedChain(options: SimulatedChainOptions): Promise<SimulatedChain> {
  const { folder, seed } = options
  const { fileBytes, historySpeed, density } = sizes[options.size]
  const tipHeight = simulatedTip(options)
  const target = join(folder, 'blocks')
  const unfinished = unfinishedPath(target)
  const replaced = unfinishedPath(join(folder, 'replaced'))
  await mkdir(folder, { recursive: true })
  removeUnfinished(folder)
  await mkdir(unfinished)
  const storage = new BlockStorage({
    folder: unfinished,
    magic: networks.simulated.magic,
    key: hash('sha256', `${seed}/xor`, 'buffer').subarray(0, 8),
    fileBytes,
  })
  const tipHash = await writeLifelikeBlocks({
    seed,
    historySpeed,
    density,
    tipHeight,
    storage,
    onHeight: (height) => options.onProgress?.({ height, tipHeight }),
  })
  if (existsSync(target)) await rename(target, replaced)
  publishFolder(unfinished, target)
  await rm(replaced, { recursive: true, force: true })
  return { tipHeight, tipHash }
}

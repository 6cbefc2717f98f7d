import path from 'node:path'
import { copyFolder } from './core-file.ts'
import { fixture } from './fixture.ts'
import { makeChain, writeChain } from './made-chain.ts'
import { updateFolder } from './made-folder.ts'
import { placesIn } from './program.ts'

const heights = [12, 15, 18, 21]

/**
 * Data folders of a chain that grows, and its block files: each folder continues the one before, so
 * that the third has three generations. Copy them before changing them.
 */
export async function publishedGenerations(): Promise<{ dataDir: string; blocks: string }[]> {
  const folder = await fixture('generations', async (unfinished) => {
    const chain = makeChain(heights.at(-1)! + 1)
    for (const [i, height] of heights.entries()) {
      const { dataDir, blocks } = placesIn(path.join(unfinished, String(height)), 'dataDir', 'blocks')
      if (i > 0) copyFolder(path.join(unfinished, String(heights[i - 1]), 'dataDir'), dataDir)
      await writeChain(blocks, chain, height)
      await updateFolder(dataDir, blocks)
    }
  })
  return heights.map((height) => placesIn(path.join(folder, String(height)), 'dataDir', 'blocks'))
}

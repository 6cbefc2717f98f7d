import { makeChain, writeChain } from './made-chain.ts'
import { madeOnce } from './made-once.ts'
import { coinstrata, placesIn } from './program.ts'

/**
 * The block files of a generated chain up to a height, and a data folder with its publication,
 * created once for all test files of a run. Copy them before changing them.
 */
export async function publishedChain(height: number): Promise<{ blocks: string; dataDir: string }> {
  const { folder } = await madeOnce(`chain-${height}`, async (shared) => {
    const { blocks, dataDir } = placesIn(shared, 'blocks', 'dataDir')
    await writeChain(blocks, makeChain(height + 1), height)
    const args = ['update', '--network', 'regtest', '--blocksdir', blocks, '--data-dir', dataDir]
    const { exitCode, stderr } = await coinstrata(args)
    if (exitCode !== 0) throw new Error(stderr)
  })
  return placesIn(folder, 'blocks', 'dataDir')
}

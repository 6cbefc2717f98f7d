import { fixture } from './fixture.ts'
import { makeChain, writeChain } from './made-chain.ts'
import { coinstrata, placesIn } from './program.ts'

/**
 * The block files of a generated chain up to a height, and a data folder with its publication. They
 * are a fixture: copy them before changing them.
 */
export async function publishedChain(height: number): Promise<{ blocks: string; dataDir: string }> {
  const folder = await fixture(`chain-${height}`, async (unfinished) => {
    const { blocks, dataDir } = placesIn(unfinished, 'blocks', 'dataDir')
    await writeChain(blocks, makeChain(height + 1), height)
    const args = ['update', '--network', 'regtest', '--blocksdir', blocks, '--data-dir', dataDir]
    const { exitCode, stderr } = await coinstrata(args)
    if (exitCode !== 0) throw new Error(stderr)
  })
  return placesIn(folder, 'blocks', 'dataDir')
}

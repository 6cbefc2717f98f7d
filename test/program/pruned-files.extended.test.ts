import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { copyFolder, firstHeightIn } from '#test/support/core-file.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'

describe('files of a pruned node', () => {
  const folder = temporaryFolder('pruned')
  const blocks = path.join(folder, 'blocks')
  const tipHeight = 230
  const update = (blocksFolder: string, data: string): Promise<Outcome> =>
    coinstrata(['update', '--network', 'regtest', '--blocksdir', blocksFolder, '--data-dir', data])
  afterAll(() => rmSync(folder, { recursive: true }))

  it('suffice without those that were scanned before, and name the first block that was not', async () => {
    const { blocks: whole, dataDir: wholeData } = await publishedChain(tipHeight)
    const { dataDir: partData } = await publishedChain(150)
    const [data, other] = [path.join(folder, 'then-pruned-data'), path.join(folder, 'pruned-too-far-data')]
    for (const copy of [data, other]) copyFolder(partData, copy)

    copyFolder(whole, blocks)
    const prune = (number: number): void => {
      for (const kind of ['blk', 'rev']) rmSync(path.join(blocks, `${kind}0000${number}.dat`))
    }
    for (const number of [0, 1]) prune(number)
    const { exitCode, stdout, stderr } = await update(blocks, data)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(`proved          ${tipHeight + 1} of ${tipHeight + 1} blocks`)
    expect(await tableDifferences(data, wholeData)).toEqual({})

    // The newest two files were scanned while they could still grow, the last one up to block 150.
    for (const number of [2, 3]) prune(number)
    const grown = path.join(folder, 'then-pruned-further-data')
    copyFolder(partData, grown)
    expect((await update(blocks, grown)).exitCode).toBe(0)
    expect(await tableDifferences(grown, wholeData)).toEqual({})

    prune(4)
    expect(firstHeightIn(whole, 4)).toBeLessThan(150)
    const refused = await update(blocks, other)
    expect(refused.exitCode).toBe(4)
    expect(refused.stderr).toMatch(
      /begins with blk00005\.dat.*; block 151, which is not scanned yet, is needed \[pruned\]/,
    )
  })
})

import { existsSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CoreFile, copyFolder, fileNames, firstHeightIn } from '#test/support/core-file.ts'
import { type MadeBlock, makeChain, writeChain } from '#test/support/made-chain.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { publishedBytes, tableDifferences } from '#test/support/published.ts'

describe('files of a node that was stopped before it was done', () => {
  const folder = temporaryFolder('stopped')
  const whole = path.join(folder, 'whole')
  const blocks = path.join(folder, 'blocks')
  const fresh = path.join(folder, 'fresh-data')
  const tipHeight = 230
  const update = (blocksFolder: string, data: string): Promise<Outcome> =>
    coinstrata(['update', '--network', 'regtest', '--blocksdir', blocksFolder, '--data-dir', data])
  let chain: MadeBlock[]

  beforeAll(async () => {
    chain = makeChain(tipHeight + 1)
    await writeChain(whole, chain, tipHeight)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are read as far as their blocks were connected', async () => {
    copyFolder(whole, blocks)
    const last = new CoreFile(blocks, 'rev00005.dat')
    const connected = 7
    truncateSync(last.file, last.record(connected).at)
    const { exitCode, stdout, stderr } = await update(blocks, fresh)
    expect(exitCode, stderr).toBe(0)
    const height = firstHeightIn(whole, 5) + connected - 1
    expect(stdout).toContain(`block ${height},`)
    expect(stdout).toContain(`${tipHeight - height} blocks after ${height} are stored but not connected yet`)

    const upTo = path.join(folder, 'up-to-there')
    await writeChain(path.join(upTo, 'blocks'), chain, height)
    expect((await update(path.join(upTo, 'blocks'), path.join(upTo, 'data'))).exitCode).toBe(0)
    expect(await tableDifferences(fresh, path.join(upTo, 'data'))).toEqual({})
  })

  it('are refused where less is connected than was read before', async () => {
    const before = publishedBytes(fresh)
    const last = new CoreFile(blocks, 'rev00005.dat')
    truncateSync(last.file, last.record(3).at)
    const { exitCode, stderr } = await update(blocks, fresh)
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(/chain up to block \d+ with less work.*\[chain_shrunk\]\nWhat to do: start the node/)
    expect(publishedBytes(fresh)).toEqual(before)
  })

  it('are refused where no undo was ever written', async () => {
    copyFolder(whole, blocks)
    for (const name of fileNames(blocks, 'rev')) rmSync(path.join(blocks, name))
    const { exitCode, stderr } = await update(blocks, path.join(folder, 'no-undo-data'))
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(
      /rev00000\.dat .* block 1, .*blk00000\.dat at offset \d+.*\[undo_missing\]\nWhat to do: restart/,
    )
    expect(existsSync(path.join(folder, 'no-undo-data/published/current'))).toBe(false)
  })

  it('are refused where the first ones are gone, as on a pruned node', async () => {
    copyFolder(whole, blocks)
    rmSync(path.join(blocks, 'blk00000.dat'))
    rmSync(path.join(blocks, 'rev00000.dat'))
    const { exitCode, stderr } = await update(blocks, path.join(folder, 'pruned-data'))
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(/begins with blk00001\.dat.*\[pruned\]\nWhat to do: .*prune=0/)
  })
})

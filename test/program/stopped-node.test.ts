import { existsSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingestFiles } from '#compute/scan/ingest-files.ts'
import type { ScanUnits } from '#compute/scan/unit-scanner.ts'
import { networks } from '#ingest/chain/networks.ts'
import { CoreFile, copyFolder, fileNames, firstHeightIn } from '#test/support/core-file.ts'
import { type MadeBlock, makeChain, writeChain } from '#test/support/made-chain.ts'
import { coinstrata, type Outcome, temporaryFolder } from '#test/support/program.ts'
import { publishedBytes, tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'

describe('files of a node that was stopped before it was done', () => {
  const folder = temporaryFolder('stopped')
  const blocks = path.join(folder, 'blocks')
  const fresh = path.join(folder, 'fresh-data')
  const tipHeight = 230
  /** The last pair of files. */
  const lastFile = 6
  const lastUndo = 'rev00006.dat'
  const update = (blocksFolder: string, data: string, ...args: readonly string[]): Promise<Outcome> =>
    coinstrata(['update', '--network', 'regtest', '--blocksdir', blocksFolder, '--data-dir', data, ...args])
  let chain: MadeBlock[]
  let whole: string

  beforeAll(async () => {
    chain = makeChain(tipHeight + 1)
    ;({ blocks: whole } = await publishedChain(tipHeight))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are read as far as their blocks were connected', async () => {
    copyFolder(whole, blocks)
    const last = new CoreFile(blocks, lastUndo)
    const connected = 7
    truncateSync(last.file, last.record(connected).at)
    const { exitCode, stdout, stderr } = await update(blocks, fresh)
    expect(exitCode, stderr).toBe(0)
    const height = firstHeightIn(whole, lastFile) + connected - 1
    expect(stdout).toContain(`block ${height},`)
    expect(stdout).toContain(`${tipHeight - height} blocks after ${height} are stored but not connected yet`)

    const upTo = path.join(folder, 'up-to-there')
    await writeChain(path.join(upTo, 'blocks'), chain, height)
    expect((await update(path.join(upTo, 'blocks'), path.join(upTo, 'data'))).exitCode).toBe(0)
    expect(await tableDifferences(fresh, path.join(upTo, 'data'))).toEqual({})
  })

  it('are refused where less is connected than was read before', async () => {
    const before = publishedBytes(fresh)
    const last = new CoreFile(blocks, lastUndo)
    truncateSync(last.file, last.record(3).at)
    const { exitCode, stderr } = await update(blocks, fresh)
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(/chain up to block \d+ with less work.*\[chain_shrunk\]\nWhat to do: start the node/)
    expect(publishedBytes(fresh)).toEqual(before)
    expect(stderr).toContain('--allow-shorter')
    // Published data counts like scanned data.
    rmSync(path.join(fresh, 'raw', 'chain.json'))
    expect((await update(blocks, fresh)).stderr).toContain('[chain_shrunk]')
    const allowed = await update(blocks, fresh, '--allow-shorter')
    expect(allowed.exitCode, allowed.stderr).toBe(0)
    expect(allowed.stdout).toContain(`block ${firstHeightIn(whole, lastFile) + 2},`)
  })

  it('are refused where the last block file is gone, but for its undo file', async () => {
    copyFolder(whole, blocks)
    rmSync(path.join(blocks, lastUndo.replace('rev', 'blk')))
    const { exitCode, stderr } = await update(blocks, path.join(folder, 'cut-off-data'))
    expect(exitCode).toBe(4)
    expect(stderr).toMatch(/rev00006\.dat exists without its block file \[chain_shrunk\]/)
  })

  it('are refused where hundreds of undo records have no block in the last file', async () => {
    copyFolder(whole, blocks)
    const ingest = (unclaimedAtEnd: number, allowShorter?: boolean) => {
      const scan = {
        keys: [],
        lastHeights: [],
        unproved: [],
        refetched: [],
        corrected: 0,
        blocks: 0,
        bytes: 0,
        unclaimedUndo: 0,
      }
      const scanUnits: ScanUnits = async () => ({ ...scan, unclaimedAtEnd })
      return ingestFiles(
        blocks,
        path.join(folder, 'own-data'),
        networks.regtest,
        undefined,
        scanUnits,
        1,
        [],
        allowShorter,
      )
    }
    await expect(ingest(289)).rejects.toMatchObject({
      code: 'chain_shrunk',
      message: expect.stringMatching(
        /rev00006\.dat has 289 undo records whose blocks are missing from \S+blk00006\.dat/,
      ),
    })
    expect((await ingest(288)).chain.tipHeight).toBe(tipHeight)
    expect((await ingest(289, true)).chain.tipHeight).toBe(tipHeight)
  })

  it('are read without as many newest blocks as two days have, and refused where more lack their undo', async () => {
    const [long, tip] = [path.join(folder, 'long'), 300]
    await writeChain(long, makeChain(tip + 1), tip)
    /** The newest blocks were not connected yet: they stand there without undo records. */
    const ingest = async (unconnected: number, allowShorter?: boolean) => {
      const scan = {
        keys: [],
        lastHeights: [],
        refetched: [],
        corrected: 0,
        blocks: 0,
        bytes: 0,
        unclaimedUndo: 0,
        unclaimedAtEnd: 0,
      }
      const scanUnits: ScanUnits = async ({ tipHeight: last }) => {
        const missing = last - (tip - unconnected)
        return { ...scan, unproved: Array.from({ length: missing }, (_, i) => last - missing + 1 + i) }
      }
      const notes: string[] = []
      const data = path.join(folder, 'long-data')
      const { chain } = await ingestFiles(long, data, networks.regtest, undefined, scanUnits, 1, notes, allowShorter)
      return { last: chain.tipHeight, notes }
    }
    expect(await ingest(288)).toEqual({ last: 12, notes: ['288 blocks after 12 are stored but not connected yet.'] })
    await expect(ingest(289)).rejects.toMatchObject({
      code: 'undo_missing',
      message: expect.stringMatching(/rev\d+\.dat has no undo record that fits block 12, .* at offset \d+/),
    })
    expect(await ingest(289, true)).toMatchObject({ last: 11 })
  })

  it('are refused where the first blocks have no undo records, as after a fast synchronisation', async () => {
    const [early, tip] = [path.join(folder, 'early'), 300]
    await writeChain(early, makeChain(tip + 1), tip)
    const ingest = (count: number, last = tip) => {
      const scan = {
        keys: [],
        lastHeights: [],
        refetched: [],
        corrected: 0,
        blocks: 0,
        bytes: 0,
        unclaimedUndo: 0,
        unclaimedAtEnd: 0,
      }
      const unproved = [...Array.from({ length: count }, (_, i) => i + 1), ...(last < tip ? [tip] : [])]
      const scanUnits: ScanUnits = async () => ({ ...scan, unproved })
      return ingestFiles(early, path.join(folder, 'early-data'), networks.regtest, undefined, scanUnits, 1, [])
    }
    for (const last of [tip, tip - 1]) {
      await expect(ingest(289, last)).rejects.toMatchObject({
        code: 'undo_missing',
        message: expect.stringMatching(/has no undo records for blocks 1 to 289: the node has not validated these/),
        cure: expect.stringContaining('getchainstates'),
      })
    }
    await expect(ingest(288)).rejects.toMatchObject({ message: expect.stringContaining('that fits block 1, ') })
    await expect(ingest(300)).rejects.toMatchObject({ message: expect.stringContaining('that fits block 1, ') })
  })

  it('are read up to a block that is missing, if no later one was connected', async () => {
    const [gap, missing] = [path.join(folder, 'gap'), tipHeight - 2]
    await writeChain(gap, chain, tipHeight, (height) => height !== missing)
    const last = new CoreFile(gap, lastUndo)
    truncateSync(last.file, last.record(-2).at)
    const scan = { keys: [], lastHeights: [], unproved: [], refetched: [], corrected: 0, blocks: 0, bytes: 0 }
    const scanUnits: ScanUnits = async () => ({ ...scan, unclaimedUndo: 0, unclaimedAtEnd: 0 })
    const notes: string[] = []
    const data = path.join(folder, 'gap-data')
    const { chain: read } = await ingestFiles(gap, data, networks.regtest, undefined, scanUnits, 1, notes)
    expect(read.tipHeight).toBe(missing - 1)
    expect(notes).toEqual(['2 stored blocks wait for the blocks before them.'])
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
    expect(stderr).toMatch(
      /begins with blk00001\.dat.* block 0, which is not scanned yet, is needed \[pruned\]\nWhat to do: .*prune=0/,
    )
  })
})

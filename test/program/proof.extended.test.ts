import { rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { healthSchema } from '#contract/health.ts'
import { headerBytes } from '#ingest/chain/block.ts'
import { readRunJournal } from '#state/run-journal.ts'
import { CoreFile, copyFolder, fileNames, firstHeightIn } from '#test/support/core-file.ts'
import { addressOf, coinstrata, startCoinstrata } from '#test/support/program.ts'
import { publishedBytes, tableDifferences } from '#test/support/published.ts'
import { Random } from '#test/support/random.ts'
import { trials } from '#test/support/trials.ts'
import { readGeneration, run, useProvedChain } from './support/proved-chain.ts'

const { whole, wholeData, unproved, blocks, dataDir, chain, damage, rpc, scanUnproved, updateUnproved } =
  await useProvedChain()

describe('proof of a chain whose newest blocks alone were proved', () => {
  beforeEach(() => copyFolder(unproved, dataDir))

  it('goes on in the background, names every damaged block in one run, and then does what is left', async () => {
    const before = readGeneration(dataDir).proved
    const faults = [0, 1].map((number) => damage(number).fault)
    const failed = await run('prove', blocks, dataDir)
    expect(failed.exitCode).toBe(4)
    expect(failed.stderr).toContain('[block_corrupt]')
    for (const fault of faults) expect(failed.stderr).toContain(fault)
    const status = await coinstrata(['status', '--data-dir', dataDir])
    const [, count] = /proved +(\d+) of 121 blocks/.exec(status.stdout) ?? []
    expect(Number(count)).toBeGreaterThan(before.blocks)
    expect(Number(count)).toBeLessThan(121)
    expect(status.stdout).toMatch(/run +prove .* failed .*: block \d+ \(/)

    copyFolder(whole, blocks)
    const { exitCode, stdout, stderr } = await run('prove', blocks, dataDir)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain(`ok  chain    ${121 - Number(count)} blocks verified`)
    expect(stdout).toContain('proved: 121 of 121 blocks')
    expect((await run('prove', blocks, dataDir)).stdout).toContain('ok  chain    0 blocks verified')
  })

  it('goes on in the background of "start", which remembers what is proved and says so', async () => {
    const settings = { UPDATE_SCHEDULE: 'off', SNAPSHOT_SCHEDULE: 'off' }
    const args = ['start', '--network', 'regtest', '--blocksdir', blocks, '--data-dir', dataDir, '--port', '0']
    /** Starts, and waits until the run of that number has ended; what /health says then. */
    const prove = async (runs: number): Promise<{ blocks: number; of: number }> => {
      const program = startCoinstrata(args, { environment: settings })
      try {
        const url = await addressOf(program)
        const ended = () => readRunJournal(dataDir, (journal) => journal.newest(9))?.filter(({ endedAt }) => endedAt)
        while (ended()?.filter(({ job }) => job === 'prove').length !== runs) await sleep(50)
        return healthSchema.parse(await (await fetch(`${url}/health`)).json()).proved ?? { blocks: 0, of: 0 }
      } finally {
        program.process.kill()
        await program.outcome
      }
    }
    const before = readGeneration(dataDir).proved
    damage(1)
    const some = await prove(1)
    expect(some.of).toBe(121)
    expect(some.blocks).toBeGreaterThan(before.blocks)
    expect(some.blocks).toBeLessThan(121)

    copyFolder(whole, blocks)
    expect(await prove(2)).toEqual({ blocks: 121, of: 121 })
    const { stdout } = await coinstrata(['status', '--data-dir', dataDir])
    expect(stdout).toContain('proved      121 of 121 blocks')
  })
})

const flippedBits = trials(80, 200)

describe.each([
  ['block', 'blk', headerBytes],
  ['undo', 'rev', 0],
] as const)(`the background proof, of ${flippedBits} flipped bits in old %s files`, (_, kind, firstByte) => {
  const random = new Random(20_160_701)
  beforeEach(() => copyFolder(unproved, dataDir))

  /** The block and the undo record that does not fit it, as messages name them. */
  function describePlace(height: number, file: CoreFile, offset: number): string {
    const block = `block ${height} (${chain[height]!.block.getId()})`
    return kind === 'blk'
      ? `${block} in ${file.file} at offset ${offset}`
      : `the undo record in ${file.file} at offset ${offset} does not fit ${block}`
  }

  /**
   * Flips a bit in some records of each file but the newest, which was proved; returns what is to
   * be told of each.
   */
  function flipBits(recordsOf: (file: CoreFile) => readonly number[]): string[] {
    copyFolder(whole, blocks)
    return fileNames(blocks, kind)
      .slice(0, -1)
      .flatMap((name, number) => {
        const file = new CoreFile(blocks, name)
        // The first block has no undo record.
        const first = firstHeightIn(whole, number) + (kind === 'rev' && number === 0 ? 1 : 0)
        const faults = recordsOf(file).map((place) => {
          const { offset, size } = file.record(place)
          file.bytes[offset + random.between(firstByte, size - 1)]! ^= 1 << random.between(0, 7)
          return describePlace(first + place, file, offset)
        })
        file.save()
        return faults
      })
  }

  it('names each in one run where there is a node, from which all blocks can be taken', async () => {
    let flips = 0
    while (flips < flippedBits) {
      copyFolder(unproved, dataDir)
      const faults = flipBits(({ records }) => [...records.keys()])
      flips += faults.length
      const { exitCode, stdout, stderr } = await run('prove', blocks, dataDir, rpc())
      expect(exitCode, stderr).toBe(0)
      for (const fault of faults) expect(stdout).toContain(`but published correctly: ${fault}`)
      expect(stdout).toContain('proved: 121 of 121 blocks')
    }
  })

  it('names one of each file where no node can be asked, and counts none of their blocks as proved', async () => {
    const before = readGeneration(dataDir).proved.blocks
    const faults = flipBits(({ records }) => [random.between(0, records.length - 1)])
    expect(faults.length).toBeGreaterThan(2)
    const { exitCode, stderr } = await run('prove', blocks, dataDir)
    expect(exitCode).toBe(4)
    for (const fault of faults) expect(stderr).toContain(fault)
    const { stdout } = await coinstrata(['status', '--data-dir', dataDir])
    expect(stdout).toContain(`proved      ${before} of 121 blocks`)
  })
})

describe('an update whose sums are not those of the node', () => {
  it('finds what was scanned from a file that was damaged then, and goes on', async () => {
    damage(1)
    await scanUnproved()
    copyFolder(whole, blocks)
    await updateUnproved()
    expect(readGeneration(dataDir).notes.join()).toContain('1 segments had been scanned from damaged files')
    expect(await tableDifferences(dataDir, wholeData)).toEqual({})
  })

  it('names the block where the node hands out nothing better', async () => {
    copyFolder(wholeData, dataDir)
    rmSync(path.join(dataDir, 'raw', 'segments'), { recursive: true })
    const published = publishedBytes(dataDir)
    const { height, fault } = damage(1)
    await scanUnproved()
    const { block } = chain[height]!
    const intact = block.transactions![0]!.outs[0]!.value
    block.transactions![0]!.outs[0]!.value ^= 1n << 32n
    try {
      await expect(updateUnproved()).rejects.toMatchObject({
        code: 'block_corrupt',
        message: `${fault}; the copy that the node returns over RPC has other transactions than its merkle root commits to`,
      })
    } finally {
      block.transactions![0]!.outs[0]!.value = intact
    }
    expect(publishedBytes(dataDir)).toEqual(published)
  })
})

import { existsSync, globSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { preflight } from '#compute/scan/preflight.ts'
import { type UpdateOptions, updateSegments } from '#compute/update.ts'
import { describeLabels } from '#root/cli/labels.ts'
import { readOperations } from '#state/operational-state.ts'
import { flipBit } from '#test/support/flip-bit.ts'
import { writeChain } from '#test/support/made-chain.ts'
import { settingsOf, updateFolder } from '#test/support/made-folder.ts'
import {
  blockCount,
  chain,
  label,
  labels,
  others,
  privateFile,
  published,
  useLabelled,
} from './support/labelled-chain.ts'

const place = useLabelled()

describe('labelled addresses', () => {
  it('are scanned again if their stored outputs are damaged, and listed by a command', async () => {
    const { folder, dataDir } = place
    const blocks = path.join(folder, 'blocks')
    const choices = { addresses: 'off', publishLabels: true } as const
    await writeChain(blocks, chain, blockCount)
    label(dataDir, labels)
    await updateFolder(dataDir, blocks, {}, choices)
    const before = await published(dataDir)
    expect(before.length).toBeGreaterThan(100)
    const [stored = ''] = globSync(path.join(dataDir, 'raw/labels/*/label_events.parquet'))
    flipBit(stored)
    label(dataDir, { Renamed: labels['Old wallet'], Fund: labels.Fund })
    const killed = path.join(dataDir, 'labels', '.tmp-1-fund.csv')
    writeFileSync(killed, 'address,na')
    expect(await check(dataDir, blocks)).toEqual([])
    await updateFolder(dataDir, blocks, {}, choices)
    expect(await published(dataDir)).toEqual(
      before.map((row) => row.map((cell) => (cell === 'Old wallet' ? 'Renamed' : cell))),
    )
    expect(existsSync(killed)).toBe(false)
    const [, lastLabel, addresses, sats] = before.at(-1)!
    expect(lastLabel).toBe('Old wallet')
    const balance = (Number(sats) / 1e8).toLocaleString('en-US', { minimumFractionDigits: 8 })
    expect(await describeLabels(dataDir)).toMatch(new RegExp(`^Renamed +${addresses} +${balance} `, 'm'))

    label(dataDir, { Fund: [...labels.Fund, ...others] })
    const fund = before.filter(([, name]) => name === 'Fund')
    expect((await updateFolder(dataDir, blocks, {}, choices)).blocks).toBe(0)
    expect(await published(dataDir)).toEqual(fund)
    const problems = () => readOperations(dataDir, { served: undefined, maxAgeMs: 1 }).state.problems
    expect(problems()).toContainEqual({
      code: 'rescan_waiting',
      state: 'degraded',
      message: expect.stringMatching(
        /^the lists of labels have \d+ new addresses: all blocks are read again, [\d.]+ kB, in about [\d.]+ s if .*, once you allow it$/,
      ),
      cure: expect.stringContaining('coinstrata update --yes'),
    })
    expect((await updateFolder(dataDir, blocks, { rescan: true }, choices)).blocks).toBe(blockCount + 1)
    expect(problems().map(({ code }) => code)).not.toContain('rescan_waiting')
    expect(await published(dataDir)).not.toEqual(fund)

    // The sample stays while its change waits, and costs nothing if it is turned off.
    const scan = (options: UpdateOptions, addresses: 'off' | 'sample') =>
      updateSegments(settingsOf(dataDir, blocks, { addresses }), { say() {}, scanned() {} }, options)
    expect((await scan({}, 'sample')).blocks).toBe(0)
    expect(problems().map(({ code }) => code)).toContain('rescan_waiting')
    expect((await scan({ rescan: true }, 'sample')).blocks).toBe(blockCount + 1)
    expect((await scan({}, 'off')).blocks).toBe(0)
    expect((await scan({}, 'sample')).blocks).toBe(0)
    label(dataDir)
    await updateFolder(dataDir, blocks, {}, choices)
    expect(existsSync(privateFile(dataDir))).toBe(false)
    expect(globSync(path.join(dataDir, 'raw/labels/*'))).not.toEqual([])
    await expect(describeLabels(dataDir)).rejects.toMatchObject({ code: 'data_not_ready' })
  })
})

/** Says what an update is about to do, and what `doctor` finds. */
async function check(dataDir: string, blocks: string): Promise<string[]> {
  const found: string[] = []
  await preflight(
    settingsOf(dataDir, blocks),
    ({ error }) => error && found.push(error.message),
    (reason) => found.push(reason),
  )
  return found
}

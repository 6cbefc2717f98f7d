import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeUndo } from '#ingest/simulated/undo-record.ts'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { RegtestChain } from '#test/support/regtest.ts'
import { readCoreFiles } from './core-files.ts'
import { readUndo } from './core-undo.ts'

const bitcoind = findBitcoind()
const regtestMagic = 0xdab5bffa

describe.skipIf(bitcoind === undefined)('beside a real node', () => {
  let regtest: RegtestChain

  beforeAll(async () => {
    regtest = await RegtestChain.start(bitcoind ?? '')
    await regtest.growUntilMature()
    await regtest.grow(60)
  })

  afterAll(() => regtest.stop())

  it('writes undo data to the byte as Bitcoin Core does', async () => {
    const { blocksFolder } = regtest.node
    // A node that has stopped has written everything.
    await regtest.node.halt()
    const { undo } = readCoreFiles(blocksFolder, regtestMagic)
    expect(undo.length).toBeGreaterThanOrEqual(170)
    const scripts = new Set<string>()
    for (const { bytes } of undo) {
      const data = bytes.subarray(0, -32)
      const spent = readUndo(data)
      for (const { script } of spent.flat()) scripts.add(script)
      const again = encodeUndo(
        spent.map((outputs) =>
          outputs.map(({ sats, script, height, coinbase }) => ({
            sats: Number(sats),
            script: Buffer.from(script, 'hex'),
            height,
            coinbase,
          })),
        ),
      )
      expect(Buffer.from(again).equals(data)).toBe(true)
    }
    expect([...scripts].some((script) => /^210[23].{64}ac$/.test(script))).toBe(true)
    expect([...scripts].some((script) => /^76a914/.test(script))).toBe(true)
    expect([...scripts].some((script) => /^a914/.test(script))).toBe(true)
    expect([...scripts].some((script) => /^5120/.test(script))).toBe(true)
  })
})

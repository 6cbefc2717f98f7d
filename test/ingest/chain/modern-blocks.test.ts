import { Block } from 'bitcoinjs-lib'
import { beforeAll, describe, expect, it } from 'vitest'
import { Scan } from '#compute/scan/scan.ts'
import { feeRateColumns } from '#compute/scan/transaction-sums.ts'
import { decodeBlock } from '#ingest/chain/block.ts'
import { ByteReader } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { transactionFees } from '#ingest/chain/fees.ts'
import { networks, subsidySats } from '#ingest/chain/networks.ts'
import { decodeUndo } from '#ingest/chain/undo.ts'
import { readUndo } from '#test/ingest/simulated/core-undo.ts'
import { blockFacts } from '#test/support/block-facts.ts'
import { hasModernBlocks, type ModernBlock, modernBlock } from '#test/support/sample-blocks.ts'

const limb = 2n ** 50n

describe.skipIf(!hasModernBlocks).each([
  { height: 367_891, fees: 14_001_930, subsidy: 25e8 },
  { height: 866_342, fees: 5_026_183, subsidy: 3.125e8 },
])('mainnet block $height', ({ height, fees, subsidy }) => {
  let sample: ModernBlock
  const block = new DecodedBlock()

  beforeAll(() => {
    sample = modernBlock(height)
    decodeBlock(new ByteReader(sample.bytes), block)
    decodeUndo(new ByteReader(sample.undo), block)
  })

  it('is the same read through a key, as it stands in the obfuscated file of a node', () => {
    const key = Uint8Array.of(0x11, 0x82, 0xf3, 0x04, 0x95, 0x66, 0xd7, 0xe8)
    const obfuscated = Uint8Array.from(sample.bytes, (byte, i) => byte ^ (key[i % 8] ?? 0))
    const reader = new ByteReader(new Uint8Array(0))
    reader.reset(obfuscated, 0, obfuscated.length, key)
    const through = new DecodedBlock()
    decodeBlock(reader, through)
    decodeUndo(new ByteReader(sample.undo), through)
    expect(through).toEqual(block)
  })

  it('pays the fees that its coinbase claims beside the subsidy', () => {
    expect(transactionFees(block, new Float64Array(block.transactionCount))).toBe(fees)
    expect(subsidySats(networks.mainnet, height)).toBe(subsidy)
    expect(block.outputSats[0]).toBe(subsidy + fees)
  })

  it('has an undo record that gives the spent outputs again, in both decoders', () => {
    const spent = sample.spent.flat()
    expect([...block.spentSats.subarray(0, block.spentCount)]).toEqual(spent.map(({ sats }) => sats))
    expect([...block.spentHeights.subarray(0, block.spentCount)]).toEqual(spent.map((output) => output.height))
    const entries = sample.spent.map((outputs) =>
      outputs.map(({ sats, script, height: created, coinbase }) => ({
        height: created,
        coinbase,
        sats: BigInt(sats),
        script: Buffer.from(script).toString('hex'),
      })),
    )
    expect(readUndo(sample.undo)).toEqual(entries)
  })

  it('has the classes, versions, quantiles and fees that an independent decoder finds', () => {
    const times = new Uint32Array(height + 1).fill(1_231_006_505)
    const scan = new Scan(networks.mainnet, { times, days: new Int32Array(height + 1).fill(14_247) })
    scan.addBlock(height, block)
    const { blocks } = scan.finish()
    const { facts } = blockFacts(Block.fromBuffer(Buffer.from(sample.bytes)), sample.spent)
    const rates: readonly string[] = feeRateColumns
    const found = Object.entries({ ...blocks, adjusted_sats: blocks.adjusted_sats_low })
    const inSats = found.map(([name, [value = 0]]) => [name, rates.includes(name) ? value / 1000 : value])
    expect(Object.fromEntries(inSats)).toMatchObject(facts)
    expect(blocks.adjusted_sats_high).toEqual(Float64Array.of(0))
  })

  it('adds up, by day of creation, to exactly the ages of what it spends', () => {
    // A block every ten minutes, and each thousandth a minute earlier than its parent.
    const times = Uint32Array.from({ length: height + 1 }, (_, at) => 1_231_006_505 + 600 * at)
    const days = Int32Array.from(times, (time) => Math.floor(time / 86_400))
    const scan = new Scan(networks.mainnet, { times, days })
    scan.addBlock(height, block)
    const { flows } = scan.finish()

    const expected = new Map<number, { sats: bigint; outputs: bigint; satSeconds: bigint; seconds: bigint }>()
    for (const { sats, height: created } of sample.spent.flat()) {
      const day = days[created] ?? Number.NaN
      const row = expected.get(day) ?? { sats: 0n, outputs: 0n, satSeconds: 0n, seconds: 0n }
      const age = BigInt(600 * (height - created))
      row.sats += BigInt(sats)
      row.outputs += 1n
      row.satSeconds += BigInt(sats) * age
      row.seconds += age
      expected.set(day, row)
    }
    const found = new Map(
      [...flows.created_day].flatMap((day, i) => {
        if (flows.spent_outputs[i] === 0) return []
        const column = (name: keyof typeof flows): bigint => BigInt(flows[name][i] ?? Number.NaN)
        const row = {
          sats: column('spent_sats_low') + column('spent_sats_high') * limb,
          outputs: column('spent_outputs'),
          satSeconds: column('sat_seconds_low') + column('sat_seconds_high') * limb,
          seconds: column('output_seconds'),
        }
        return [[day, row] as const]
      }),
    )
    expect(found).toEqual(new Map([...expected].sort(([a], [b]) => a - b)))
    expect([...found.values()].reduce((sum, { outputs }) => sum + outputs, 0n)).toBe(BigInt(block.spentCount))
  })
})

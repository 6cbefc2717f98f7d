import type { Block } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBlock } from '#ingest/chain/block.ts'
import { ByteReader } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { arbitraryBlock, blockRuns } from '#test/support/arbitrary-block.ts'
import { createdIn } from '#test/support/kind-names.ts'
import { kindName } from '#test/support/replay.ts'

function decode(bytes: Uint8Array, block = new DecodedBlock()): DecodedBlock {
  decodeBlock(new ByteReader(bytes), block)
  return block
}

/** The expected result, from the transactions of bitcoinjs-lib. */
function expectedContent(block: Block) {
  const transactions = block.transactions ?? []
  const outputs = transactions.flatMap(({ outs }) => outs)
  const isReturn = (script: Uint8Array): boolean => script[0] === 0x6a
  const unspendable = outputs.filter(({ script }) => isReturn(script) || script.length > 10_000)
  const made = transactions.flatMap(({ outs }, i) =>
    outs.map(({ script, value }) => ({ kind: kindName(script, Number(value), i === 0, 1), value })),
  )
  const created = new Map(
    [...Map.groupBy(made, ({ kind }) => kind)].map(([kind, own]) => {
      return [kind, { sats: Number(own.reduce((sum, { value }) => sum + value, 0n)), outputs: own.length }]
    }),
  )
  const begins = (script: Uint8Array, length: number, start: string): boolean =>
    script.length === length && Buffer.from(script).toString('hex').startsWith(start)
  return {
    time: block.timestamp,
    bits: block.bits,
    size: block.byteLength(false, true),
    weight: block.weight(),
    transactionCount: transactions.length,
    inputCounts: transactions.map(({ ins }) => ins.length),
    outputSats: transactions.map(({ outs }) => outs.reduce((sum, { value }) => sum + Number(value), 0)),
    outputCount: outputs.length,
    unspendableOutputs: unspendable.length,
    created,
    opReturnOutputs: outputs.filter(({ script }) => isReturn(script)).length,
    segwitOutputs: outputs.filter(({ script }) => begins(script, 22, '0014') || begins(script, 34, '0020')).length,
    taprootOutputs: outputs.filter(({ script }) => begins(script, 34, '5120')).length,
  }
}

function foundIn(block: DecodedBlock): ReturnType<typeof expectedContent> {
  const { time, bits, size, weight, transactionCount, outputCount, unspendableOutputs } = block
  const { opReturnOutputs, segwitOutputs, taprootOutputs } = block
  return {
    time,
    bits,
    size,
    weight,
    transactionCount,
    outputCount,
    unspendableOutputs,
    opReturnOutputs,
    segwitOutputs,
    taprootOutputs,
    created: createdIn(block),
    inputCounts: [...block.inputCounts.subarray(0, transactionCount)],
    outputSats: [...block.outputSats.subarray(0, transactionCount)],
  }
}

describe('a decoded block', () => {
  it('is what bitcoinjs-lib wrote, also when the columns are reused', () => {
    const reused = new DecodedBlock()
    fc.assert(
      fc.property(arbitraryBlock, (block) => {
        expect(foundIn(decode(block.toBuffer(), reused))).toEqual(expectedContent(block))
      }),
      blockRuns,
    )
  })

  it('grows its columns for a block of many transactions', () => {
    fc.assert(
      fc.property(arbitraryBlock, (block) => {
        const [coinbase, ...others] = block.transactions ?? []
        if (!coinbase || others.length === 0) return
        block.transactions = [
          coinbase,
          ...Array.from({ length: 5000 }, (_, i) => others[i % others.length] ?? coinbase),
        ]
        expect(foundIn(decode(block.toBuffer()))).toEqual(expectedContent(block))
      }),
      { ...blockRuns, numRuns: 3, seed: 1 },
    )
  })

  it('is refused when a byte is missing at the end or one is too many', () => {
    fc.assert(
      fc.property(arbitraryBlock, fc.nat(), (block, at) => {
        const bytes = block.toBuffer()
        expect(() => decode(bytes.subarray(0, at % bytes.length))).toThrow(RangeError)
        expect(() => decode(Buffer.concat([bytes, Uint8Array.of(at % 256)]))).toThrow(RangeError)
      }),
      blockRuns,
    )
  })

  it('is refused without reserving memory when it claims absurd counts', () => {
    const header = Buffer.alloc(80)
    const block = (...hex: string[]): Buffer => Buffer.concat([header, Buffer.from(hex.join(''), 'hex')])
    expect(() => decode(block('ffffffffffffffffff'))).toThrow(/cannot hold/)
    expect(() => decode(block('feffffffff', '00'.repeat(200)))).toThrow(/cannot hold/)
    expect(() => decode(block('00'))).toThrow(/cannot hold 0 transactions/)
    const version = '01000000'
    expect(() => decode(block('01', version, 'ffffffffffffffffff', '00'.repeat(100)))).toThrow(RangeError)
    expect(() => decode(block('01', version, '00', '01', '00', '00'.repeat(100)))).toThrow(/no inputs/)
    expect(() => decode(block('01', version, '00', '02', '00'.repeat(100)))).toThrow(/no inputs/)
    const input = `01${'00'.repeat(36)}00ffffffff`
    expect(() => decode(block('01', version, input, '00', '00'.repeat(100)))).toThrow(/no outputs/)
    expect(() => decode(block('01', version, input, '01', '0140075af0750700', '00'.repeat(100)))).toThrow(
      /more than can exist/,
    )
  })
})

import { Block, Transaction } from 'bitcoinjs-lib'
import { describe, expect, it } from 'vitest'
import { Scan } from '#compute/scan/scan.ts'
import { transactionColumns } from '#compute/scan/transaction-sums.ts'
import { decodeBlock } from '#ingest/chain/block.ts'
import { ByteReader } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { networks } from '#ingest/chain/networks.ts'
import { decodeUndo } from '#ingest/chain/undo.ts'
import { encodeUndo } from '#ingest/simulated/undo-record.ts'

const hex = (text: string): Uint8Array => Buffer.from(text, 'hex')
const key = 'aa'.repeat(32)
const p2wpkh = `0014${'11'.repeat(20)}`
const p2tr = `5120${key}`
const control = `c0${key}`
/** A push of a key, OP_CHECKSIG, OP_FALSE, OP_IF, "ord", and so on. */
const envelope = `20${key}ac0063036f7264010118746578742f706c61696e0002686968`

interface Shape {
  readonly inputs?: number
  readonly outputs?: ReadonlyArray<readonly [script: string, sats: number]>
  readonly witness?: readonly string[]
  readonly spends?: string
  readonly version?: number
  readonly locktime?: number
  readonly sequence?: number
}

/** Returns what a scan of a block with one such transaction adds up; each input has 1 BTC. */
function scanned(shape: Shape, obfuscation?: Uint8Array) {
  const { inputs = 1, outputs = [[p2wpkh, 5e7]], witness, spends = p2wpkh } = shape
  const [coinbase, transaction] = [new Transaction(), new Transaction()]
  coinbase.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, Buffer.from('\u0003abc/a pool/', 'latin1'))
  coinbase.addOutput(hex(p2wpkh), 25n * 10n ** 8n)
  transaction.version = shape.version ?? 0
  transaction.locktime = shape.locktime ?? 0
  for (let i = 0; i < inputs; i++) {
    transaction.addInput(Buffer.alloc(32, 7), i, i === inputs - 1 ? (shape.sequence ?? 0xffff_ffff) : 0xffff_ffff)
    if (witness) transaction.setWitness(i, witness.map(hex))
  }
  for (const [script, sats] of outputs) transaction.addOutput(hex(script), BigInt(sats))
  const block = new Block()
  block.transactions = [coinbase, transaction]
  block.prevHash = Buffer.alloc(32)
  block.merkleRoot = Buffer.alloc(32)
  const bytes = block.toBuffer().map((byte, i) => byte ^ (obfuscation?.[i % 8] ?? 0))
  const reader = new ByteReader(new Uint8Array(0))
  reader.reset(bytes, 0, bytes.length, obfuscation)
  const decoded = new DecodedBlock()
  decodeBlock(reader, decoded)
  const coin = { sats: 1e8, height: 1, coinbase: false, script: hex(spends) }
  decodeUndo(new ByteReader(encodeUndo([Array.from({ length: inputs }, () => coin)])), decoded)
  const scan = new Scan(networks.regtest, { times: Uint32Array.of(1, 2, 3), days: Int32Array.of(0, 0, 0) })
  scan.addBlock(2, decoded)
  const { blocks, coinbases } = scan.finish()
  const classes = transactionColumns.filter((name) => blocks[name][0] === 1).map((name) => name.slice(0, -13))
  return { classes, coinbases, virtualSize: transaction.virtualSize(), ...blocks }
}

const paying = (count: number, sats: (i: number) => number = (i) => 1000 + i) =>
  Array.from({ length: count }, (_, i) => [p2wpkh, sats(i)] as const)
const pair = paying(2)

describe('a transaction', () => {
  it.each<[string, Shape, readonly string[]]>([
    ['without anything special', { outputs: pair }, []],
    ['of one input and output', {}, ['one_to_one']],
    ['of version 1', { outputs: pair, version: 1 }, ['version_1']],
    ['of version 2', { outputs: pair, version: 2 }, ['version_2']],
    ['of version 3', { outputs: pair, version: 3 }, ['version_3']],
    ['of version 4', { outputs: pair, version: 4 }, []],
    ['with a lock time', { outputs: pair, locktime: 800_000 }, ['locked']],
    ['with a final sequence number', { outputs: pair, sequence: 0xffff_fffe }, []],
    ['with a replaceable one, the last of three', { inputs: 3, outputs: pair, sequence: 0xffff_fffd }, ['replaceable']],
    ['with the sequence number 0', { outputs: pair, sequence: 0 }, ['replaceable']],
    ['of four inputs for an output', { inputs: 4 }, []],
    ['of five inputs for an output', { inputs: 5 }, ['consolidation']],
    ['of ten inputs for two', { inputs: 10, outputs: pair }, ['consolidation']],
    ['of nine inputs for two', { inputs: 9, outputs: pair }, []],
    ['of five outputs', { outputs: paying(5) }, ['batch']],
    ['of four outputs', { outputs: paying(4) }, []],
    ['of five equal outputs from five inputs', { inputs: 5, outputs: paying(5, () => 1000) }, ['coinjoin_like']],
    ['of equal outputs from four inputs', { inputs: 4, outputs: paying(5, () => 1000) }, []],
    ['of four equal outputs', { inputs: 5, outputs: paying(4, () => 1000) }, []],
    ['with three values in six outputs', { inputs: 5, outputs: paying(6, (i) => i % 3) }, ['coinjoin_like']],
    ['with three values in five outputs', { inputs: 5, outputs: paying(5, (i) => i % 3) }, []],
    ['of 25 equal outputs from five inputs', { inputs: 5, outputs: paying(25, () => 1000) }, ['batch']],
    ['with an OP_RETURN', { outputs: [...pair, ['6a0461626364', 0]] }, ['op_return']],
    [
      'with two',
      {
        outputs: [
          ['6a', 0],
          ['6a0461626364', 0],
        ],
      },
      ['op_return', 'several_op_return'],
    ],
    ['with a runestone', { outputs: [...pair, ['6a5d03010203', 0]] }, ['runestone', 'op_return']],
    ['with data that begin with the byte of OP_13', { outputs: [...pair, ['6a025d01', 0]] }, ['op_return']],
    // The mark is an opcode, not data.
    ['with the number 13 as data', { outputs: [...pair, ['6a4c010d', 0]] }, ['op_return']],
    ['with a witness', { outputs: pair, witness: ['30', '02'] }, ['segwit']],
    [
      'that spends Taproot by its key',
      { outputs: pair, spends: p2tr, witness: ['00'.repeat(64)] },
      ['segwit', 'taproot'],
    ],
    [
      'with an inscription',
      { outputs: pair, spends: p2tr, witness: ['00', envelope, control] },
      ['segwit', 'taproot', 'inscription'],
    ],
    [
      'with one below a path of two hashes',
      { outputs: pair, spends: p2tr, witness: [envelope, `c1${key.repeat(3)}`] },
      ['segwit', 'taproot', 'inscription'],
    ],
    ...['0063', '4c0063', '4d000063'].flatMap((start) =>
      ['03', '4c03', '4d0300', '4e03000000'].map((push): [string, Shape, readonly string[]] => [
        `with an envelope of ${start} ${push}`,
        { outputs: pair, spends: p2tr, witness: [`20${key}ac${start}${push}6f72640051`, control] },
        ['segwit', 'taproot', 'inscription'],
      ]),
    ),
    [
      'with one after a long push',
      { outputs: pair, spends: p2tr, witness: [`4d0201${'00'.repeat(258)}750063036f726400`, control] },
      ['segwit', 'taproot', 'inscription'],
    ],
    [
      'with an envelope that data only contain',
      { outputs: pair, spends: p2tr, witness: ['00', `07${'0063036f7264'}51`, control] },
      ['segwit', 'taproot'],
    ],
    [
      'with an envelope after nine opcodes',
      { outputs: pair, spends: p2tr, witness: [`${'75'.repeat(9)}${envelope.slice(68)}`, control] },
      ['segwit', 'taproot'],
    ],
    [
      'with an envelope as the item before the script',
      { outputs: pair, spends: p2tr, witness: [envelope, '51', control] },
      ['segwit', 'taproot'],
    ],
    [
      'with an envelope of other letters',
      { outputs: pair, spends: p2tr, witness: [envelope.replace('6f7264', '6f7265'), control] },
      ['segwit', 'taproot'],
    ],
    ['with an envelope without a control block', { outputs: pair, witness: [envelope, `02${key}`] }, ['segwit']],
    [
      'with a script that ends within the envelope',
      { outputs: pair, spends: p2tr, witness: ['0063036f72', control] },
      ['segwit', 'taproot'],
    ],
  ])('%s', (_, shape, classes) => {
    expect(scanned(shape).classes.sort()).toEqual(classes.toSorted())
    expect(scanned(shape, Uint8Array.of(3, 141, 59, 26, 53, 58, 97, 93)).classes.sort()).toEqual(classes.toSorted())
  })

  it('has a script of many bytes before the one that matters', () => {
    const long = `4c${'ff'}${'00'.repeat(255)}75${envelope}`
    expect(scanned({ outputs: pair, spends: p2tr, witness: [long, control] }).classes).toContain('inscription')
  })
})

it('the fee rate is the fee per virtual byte, rounded down to a thousandth', () => {
  const { virtualSize, fee_rate_min, fee_rate_median, fee_rate_max } = scanned({
    witness: ['00'.repeat(71), '00'.repeat(33)],
  })
  const rate = Math.floor(5e10 / virtualSize)
  expect([fee_rate_min[0], fee_rate_median[0], fee_rate_max[0]]).toEqual([rate, rate, rate])
})

it('change is the largest output, if there are two or more', () => {
  expect(scanned({}).adjusted_sats_low[0]).toBe(5e7)
  expect(
    scanned({
      outputs: [
        [p2wpkh, 3e7],
        [p2wpkh, 6e7],
        [p2wpkh, 1e6],
      ],
    }).adjusted_sats_low[0],
  ).toBe(3.1e7)
})

it('outputs below the dust limit of Bitcoin Core count as dust', () => {
  const limits: ReadonlyArray<readonly [string, number]> = [
    [p2wpkh, 294],
    [p2tr, 330],
    [`0020${key}`, 330],
    [`76a914${'11'.repeat(20)}88ac`, 546],
    [`a914${'11'.repeat(20)}87`, 540],
    [`2102${key}ac`, 576],
    ['51024e73', 240],
    // Witness programs of a version or length without a rule: 3 × (8 + 1 + script + 67) satoshis.
    [`0015${'11'.repeat(21)}`, 297],
    ['00021111', 240],
    [`0028${'11'.repeat(40)}`, 354],
    ['52021111', 240],
    [`6028${'11'.repeat(40)}`, 354],
    // No programs: 3 × (8 + 1 + script + 148) satoshis.
    ['000111', 480],
    [`0029${'11'.repeat(41)}`, 600],
    [`5129${'11'.repeat(41)}`, 600],
    [`0015${'11'.repeat(20)}`, 537],
    ['4f021111', 483],
  ]
  for (const [script, limit] of limits) {
    expect(scanned({ outputs: [[script, limit]] }).dust_outputs[0], script).toBe(0)
    expect(scanned({ outputs: [[script, limit - 1]] }).dust_outputs[0], script).toBe(1)
  }
  expect(scanned({ outputs: [['6a', 0]] }).dust_outputs[0]).toBe(0)
})

it('OP_RETURN outputs count by bytes, size and Omni', () => {
  const sums = scanned({
    outputs: [
      [`6a4c51${'00'.repeat(81)}`, 0],
      [`6a14${'6f6d6e69'}${'00'.repeat(16)}`, 0],
      [`6a4c50${'00'.repeat(80)}`, 0],
    ],
  })
  expect([sums.op_return_bytes[0], sums.large_op_return_outputs[0], sums.omni_outputs[0]]).toEqual([84 + 22 + 83, 1, 1])
})

it('data of Omni are read however they are pushed, if the script has all of them', () => {
  const omni = '6f6d6e69'
  const rest = '00'.repeat(16)
  const omniOutputs = (...scripts: readonly string[]): number =>
    scanned({ outputs: scripts.map((script) => [script, 0]) }).omni_outputs[0]!
  for (const script of [
    `6a4c14${omni}${rest}`,
    `6a4d1400${omni}${rest}`,
    `6a4e14000000${omni}${rest}`,
    `6a04${omni}`,
  ]) {
    expect(omniOutputs(script), script).toBe(1)
  }
  const others = ['6a', '6a4c', '6a4d04', `6a${omni}`, `6a5d${omni}${rest}`, `6a0400${omni}`, `6a4c6f${omni.slice(2)}`]
  expect(omniOutputs(...others, `6a15${omni}${rest}`, `6a4c15${omni}${rest}`, `6a4e14000001${omni}${rest}`)).toBe(0)
})

it('a coinbase is kept as it says who mined the block', () => {
  expect(scanned({}).coinbases).toEqual({ height: Float64Array.of(2), text: ['\u0003abc/a pool/'], payouts: [p2wpkh] })
})

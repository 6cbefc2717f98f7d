import { createECDH, hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { kindCount, type ScriptType, scriptTypes, sizes, toKind } from '#contract/kinds.ts'
import { networks } from '#ingest/chain/networks.ts'
import { readUtxoDump } from '#ingest/chain/utxo-dump.ts'
import { compactSize, type MadeCoin, type MadeTransaction, makeDump } from '#test/support/made-dump.ts'
import { Random } from '#test/support/random.ts'

const { magic } = networks.regtest
const maxHeight = 1_000
/** Two blocks each, but the last one alone. */
const slots = Int32Array.from({ length: maxHeight + 1 }, (_, height) => height >> 1)
const random = new Random(28)
const someBytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random.between(0, 255)))
const base = someBytes(32)

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const read = (bytes: Uint8Array, size = 1 << 16) =>
  readUtxoDump(inPieces(bytes, size), networks.regtest, slots, 'coins.dat')

interface MadeScript {
  readonly script: MadeCoin['script']
  /** As in a transaction. */
  readonly whole: Uint8Array
  readonly type: ScriptType
}

function makeScript(): MadeScript {
  const wrap = (begin: string, bytes: Uint8Array, end: string): Buffer =>
    Buffer.concat([Buffer.from(begin, 'hex'), bytes, Buffer.from(end, 'hex')])
  const kind = random.between(0, 7)
  if (kind === 0) {
    const bytes = someBytes(20)
    return { script: [0, bytes], whole: wrap('76a914', bytes, '88ac'), type: 'p2pkh' }
  }
  if (kind === 1) {
    const bytes = someBytes(20)
    return { script: [1, bytes], whole: wrap('a914', bytes, '87'), type: 'p2sh' }
  }
  if (kind === 2) {
    const pair = createECDH('secp256k1')
    pair.generateKeys()
    const short = pair.getPublicKey(null, 'compressed')
    const size = short[0]! + random.pick([0, 2])
    const key = size < 4 ? short : pair.getPublicKey(null, 'uncompressed')
    return { script: [size, short.subarray(1)], whole: wrap(key.length.toString(16), key, 'ac'), type: 'p2pk' }
  }
  const type = random.pick(['p2wpkh', 'p2tr', 'other'] as const)
  const program = { p2wpkh: ['0014', 20], p2tr: ['5120', 32] } as const
  const [begin, length] =
    type === 'other' ? (['ff', random.pick([0, 1, 22, 34, 67, 105, 300, 9_999])] as const) : program[type]
  const whole = wrap(begin, someBytes(length), '')
  return { script: [whole.length + 6, whole], whole, type }
}

/**
 * `hash_serialized_3` by its definition: each coin with its outpoint, in the order of txid and
 * index.
 */
function hashOf(
  transactions: readonly { readonly txid: Uint8Array; readonly coins: readonly (MadeCoin & MadeScript)[] }[],
): string {
  const parts = transactions.flatMap(({ txid, coins }) =>
    coins
      .toSorted((a, b) => a.index - b.index)
      .flatMap(({ index, height, coinbase, sats, whole }) => {
        const numbers = Buffer.alloc(16)
        numbers.writeUInt32LE(index, 0)
        numbers.writeUInt32LE(2 * height + Number(coinbase), 4)
        numbers.writeBigInt64LE(BigInt(sats), 8)
        return [txid, numbers, Buffer.from(compactSize(whole.length)), whole]
      }),
  )
  return hash('sha256', hash('sha256', Buffer.concat(parts), 'buffer'), 'buffer')
    .reverse()
    .toString('hex')
}

const amounts = [0, 1, 546, 5_0000_0000, 123_456_789, 2_099_999_997_690_000, 21_000_000_0000_0000]

/**
 * Transactions with coins of every kind; indexes from 16,512 on stand before lower ones, as in the
 * node's database.
 */
function makeTransactions(count: number) {
  return Array.from({ length: count }, () => {
    const indexes = [0, 3, 200, 300, 16_512, 16_511, 70_000].slice(random.between(0, 5))
    const coins = indexes.map((index) => {
      const made = makeScript()
      const height = random.between(0, maxHeight)
      return {
        index,
        height,
        coinbase: random.next() < 0.2,
        sats: amounts[random.between(0, amounts.length - 1)]!,
        ...made,
      }
    })
    return { txid: someBytes(32), coins }
  })
}

describe('a dump of unspent outputs', () => {
  test('of coins of every kind has the hash of its definition, and the sums of each slot and kind', async () => {
    const transactions = makeTransactions(150)
    const coins = transactions.flatMap((transaction) => transaction.coins)
    const bytes = makeDump(magic, base, transactions)
    for (const size of [1 << 22, 65_536, 997]) {
      const dump = await read(bytes, size)
      expect(dump).toMatchObject({ coins: coins.length, bytes: bytes.length, hash: hashOf(transactions) })
      expect(dump.baseHash).toBe(Buffer.from(base).reverse().toString('hex'))
      const outputs = new Float64Array(dump.outputs.length)
      const sats = new Float64Array(dump.sats.length)
      for (const coin of coins) {
        const size = sizes.findLastIndex((least) => least <= coin.sats)
        const at = (coin.height >> 1) * kindCount + toKind(scriptTypes.indexOf(coin.type), size, Number(coin.coinbase))
        outputs[at]! += 1
        sats[at]! += coin.sats
      }
      expect(dump.outputs).toEqual(outputs)
      expect(dump.sats).toEqual(sats)
    }
  })

  const coin: MadeCoin = { index: 0, height: 5, coinbase: true, sats: 50, script: [0, Buffer.alloc(20)] }
  const one = (change: Partial<MadeCoin> = {}): MadeTransaction[] => [
    { txid: Buffer.alloc(32), coins: [{ ...coin, ...change }] },
  ]
  const sound = makeDump(magic, base, one())
  const changed = (at: number, byte: number): Buffer => {
    const bytes = Buffer.from(sound)
    bytes[at] = byte
    return bytes
  }

  test.each([
    ['format v1', Buffer.concat([base, sound]), 'byte 0: it is no dump of unspent outputs, or one of format v1'],
    ['an unknown version', changed(5, 3), 'byte 5: it has format v3, and only v2 is known'],
    ['another network', changed(7, 0), 'byte 7: it is of another network than regtest'],
    ['half a header', sound.subarray(0, 50), 'byte 50: it ends within its header'],
    ['no coins where one is', sound.subarray(0, 51), 'byte 51: it ends after 0 of 1 coins'],
    ['half a coin', sound.subarray(0, sound.length - 1), 'it ends within a coin'],
    [
      'more after the last coin',
      Buffer.concat([sound, Buffer.alloc(40)]),
      `byte ${sound.length}: 1 coins are followed by more bytes`,
    ],
    ['a transaction without coins', changed(83, 0), 'byte 83: a transaction has 0 of the 1 coins left'],
    ['more coins than it has', changed(83, 9), 'byte 83: a transaction has 9 of the 1 coins left'],
    [
      'a later block',
      makeDump(magic, base, one({ height: 1_001 })),
      'byte 84: a coin is of block 1001, after that of the dump',
    ],
    [
      'more than all coins',
      makeDump(magic, base, one({ sats: 2_100_000_000_000_001 })),
      'byte 84: a coin is of 2100000000000001 satoshis',
    ],
    [
      'a script that could not be spent',
      makeDump(magic, base, one({ script: [10_007, Buffer.alloc(10_001)] })),
      'a script has 10001 bytes',
    ],
    [
      'a key that is no point',
      makeDump(magic, base, one({ script: [4, Buffer.alloc(32, 0xff)] })),
      'a public key is no point of the curve',
    ],
  ])('with %s is refused', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toMatchObject({
      code: 'invalid_file',
      message: expect.stringContaining(`coins.dat, `),
    })
    await expect(read(bytes)).rejects.toThrow(message)
  })
})

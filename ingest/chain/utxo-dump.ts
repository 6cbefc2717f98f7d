import { createHash, ECDH, type Hash, hash } from 'node:crypto'
import { maxMoneySats } from '#base/bitcoin.ts'
import { CoinstrataError } from '#base/errors.ts'
import { kindCount, toKind } from '#contract/kinds.ts'
import { ByteReader, copyInto, createView, displayHash, noKey } from './bytes.ts'
import type { Network } from './networks.ts'
import { maxSpendableScriptBytes, scriptTypeAt, sizeOf, typeOfForm } from './output-kind.ts'
import { readAmount, readVarint } from './undo.ts'

/*
 * All unspent outputs after a block, as `dumptxoutset` writes them since Bitcoin Core 28 (rpc/blockchain.cpp,
 * `WriteUTXOSnapshot`; node/utxo_snapshot.h, `SnapshotMetadata`):
 *
 *   file          'utxo' ff, version 2 (uint16), magic of the network (4 bytes), hash of the block (32), coins (uint64)
 *   transaction   txid (32), its coins: CompactSize; in the order of the database
 *   coin          output index: CompactSize; then as in an undo record, but without the zero byte (coins.h, `Coin`):
 *                 2·height + coinbase, compressed amount, script size: varints; compressed script
 */

/** Unspent outputs after a block, by slot of the creating block and kind (`contract/kinds.ts`). */
export interface UtxoDump {
  /** In display order. */
  readonly baseHash: string
  readonly coins: number
  /** Element `slot * kindCount + kind`. */
  readonly sats: Float64Array
  readonly outputs: Float64Array
  readonly bytes: number
  /** The node's `hash_serialized_3`, in display order. */
  readonly hash: string
}

const headerBytes = 5 + 2 + 4 + 32 + 8
const magic = Buffer.from('7574786fff', 'hex')
const version = 2
/** Index, height, amount and script size, at their longest. */
const maxCoinBytes = 9 + 5 + 10 + 3 + maxSpendableScriptBytes
const maxRecordBytes = 32 + 9 + maxCoinBytes
/** Hashed form of a coin: txid, index, height, amount, script size. */
const hashedBytes = 32 + 4 + 4 + 8 + 3
const hashEveryBytes = 1 << 20

/**
 * Bytes before and after the hash or key of a compressed script, and the whole length
 * (compressor.cpp).
 */
const scriptForms = [
  [Uint8Array.of(0x76, 0xa9, 20), Uint8Array.of(0x88, 0xac)],
  [Uint8Array.of(0xa9, 20), Uint8Array.of(0x87)],
  [Uint8Array.of(33, 2), Uint8Array.of(0xac)],
  [Uint8Array.of(33, 3), Uint8Array.of(0xac)],
] as const

/**
 * Reads a dump in chunks of any size. Adds up coins by the slot of their height in `slots`, and
 * hashes them as the node does (kernel/coinstats.cpp, `TxOutSer`). Throws `invalid_file` with the
 * offset of the fault; `name` names the file in messages.
 */
export async function readUtxoDump(
  chunks: AsyncIterable<Uint8Array>,
  network: Network,
  slots: Int32Array,
  name: string,
): Promise<UtxoDump> {
  const reader = new DumpReader(network, slots, name)
  for await (const chunk of chunks) reader.add(chunk)
  return reader.finish()
}

class DumpReader {
  readonly #network: Network
  readonly #slots: Int32Array
  readonly #name: string
  readonly #sats: Float64Array
  readonly #outputs: Float64Array
  readonly #hash: Hash = createHash('sha256')
  readonly #reader = new ByteReader(new Uint8Array(0))
  /** Unread bytes of earlier chunks, then the newest chunk. */
  #bytes = new Uint8Array(1 << 20)
  #length = 0
  /** Their offset in the dump. */
  #offset = 0
  #baseHash: string | undefined
  #expected = 0
  #coins = 0
  readonly #txid = new Uint8Array(32)
  #left = 0
  /** Coins in hashed form, and the start of the transaction's. */
  #hashed = new Uint8Array(2 * hashEveryBytes)
  #view = createView(this.#hashed)
  #filled = 0
  #starts = new Int32Array(1024)
  #indexes = new Uint32Array(1024)
  #count = 0

  constructor(network: Network, slots: Int32Array, name: string) {
    this.#network = network
    this.#slots = slots
    this.#name = name
    const cells = (slots.at(-1)! + 1) * kindCount
    this.#sats = new Float64Array(cells)
    this.#outputs = new Float64Array(cells)
  }

  add(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + chunk.length))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(chunk, this.#length)
    this.#length += chunk.length
    this.#parse(this.#length - maxRecordBytes)
  }

  finish(): UtxoDump {
    this.#parse(this.#length)
    if (this.#baseHash === undefined) throw this.#invalid(this.#length, 'it ends within its header')
    if (this.#left > 0 || this.#coins < this.#expected) {
      throw this.#invalid(this.#length, `it ends after ${this.#coins} of ${this.#expected} coins`)
    }
    this.#endTransaction()
    this.#hash.update(this.#hashed.subarray(0, this.#filled))
    return {
      baseHash: this.#baseHash,
      coins: this.#coins,
      sats: this.#sats,
      outputs: this.#outputs,
      bytes: this.#offset + this.#length,
      hash: displayHash(hash('sha256', this.#hash.digest(), 'buffer')),
    }
  }

  /** Reads what begins before `until`. */
  #parse(until: number): void {
    let at = 0
    if (this.#baseHash === undefined) {
      if (this.#length < headerBytes) return
      at = this.#readHeader()
    }
    try {
      at = this.#readCoins(at, until)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw this.#invalid(this.#reader.position, 'it ends within a coin, or a number in it is larger than can be')
    }
    this.#bytes.copyWithin(0, at, this.#length)
    this.#length -= at
    this.#offset += at
  }

  #readHeader(): number {
    const header = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, headerBytes)
    if (!header.subarray(0, 5).equals(magic)) {
      throw this.#invalid(
        0,
        'it is no dump of unspent outputs, or one of format v1, as Bitcoin Core before 28 wrote it',
      )
    }
    const found = header.readUInt16LE(5)
    if (found !== version) throw this.#invalid(5, `it has format v${found}, and only v${version} is known`)
    const { name } = this.#network
    if (header.readUInt32LE(7) !== this.#network.magic) throw this.#invalid(7, `it is of another network than ${name}`)
    this.#baseHash = displayHash(header.subarray(11, 43))
    this.#expected = Number(header.readBigUInt64LE(43))
    return headerBytes
  }

  /** Throws `RangeError` for an impossible number. */
  #readCoins(from: number, until: number): number {
    const reader = this.#reader
    reader.reset(this.#bytes, from, this.#length)
    while (reader.position < until) {
      if (this.#left === 0) this.#readTxid()
      else this.#readCoin()
    }
    return reader.position
  }

  #readTxid(): void {
    const reader = this.#reader
    const at = reader.position
    const expected = this.#expected - this.#coins
    if (expected === 0) throw this.#invalid(at, `${this.#expected} coins are followed by more bytes`)
    reader.skip(32)
    this.#left = reader.compactSize()
    if (this.#left === 0 || this.#left > expected) {
      throw this.#invalid(at + 32, `a transaction has ${this.#left} of the ${expected} coins left`)
    }
    for (let i = 0; i < 32; i++) this.#txid[i] = this.#bytes[at + i]!
    this.#endTransaction()
  }

  /** Runs for every coin, so it allocates nothing. */
  #readCoin(): void {
    const reader = this.#reader
    const slots = this.#slots
    const begin = reader.position
    const index = reader.compactSize()
    const code = readVarint(reader)
    const sats = readAmount(reader)
    const size = readVarint(reader)
    const packed = size < 2 ? 20 : size < 6 ? 32 : size - 6
    const at = reader.position
    const height = code >>> 1
    if (packed > maxSpendableScriptBytes) throw this.#invalid(at, `a script has ${packed} bytes`)
    reader.skip(packed)
    if (height >= slots.length) throw this.#invalid(begin, `a coin is of block ${height}, after that of the dump`)
    if (sats > maxMoneySats) throw this.#invalid(begin, `a coin is of ${sats} satoshis, more than can exist`)
    const type = size < typeOfForm.length ? typeOfForm[size]! : scriptTypeAt(this.#bytes, noKey, at, packed)
    const cell = slots[height]! * kindCount + toKind(type, sizeOf(sats), code & 1)
    this.#sats[cell]! += sats
    this.#outputs[cell]! += 1
    this.#addHashed(index, code, sats, size, at, packed)
    this.#left--
    this.#coins++
  }

  /** Appends a coin in hashed form, its compressed script `packed` bytes at `start`. */
  #addHashed(index: number, code: number, sats: number, size: number, start: number, packed: number): void {
    if (this.#filled + hashedBytes + maxSpendableScriptBytes > this.#hashed.length) {
      this.#hashed = copyInto(new Uint8Array(2 * this.#hashed.length), this.#hashed)
      this.#view = createView(this.#hashed)
    }
    const to = this.#hashed
    let at = this.#filled
    if (this.#count === this.#starts.length) {
      this.#starts = copyInto(new Int32Array(2 * this.#count), this.#starts)
      this.#indexes = copyInto(new Uint32Array(2 * this.#count), this.#indexes)
    }
    this.#starts[this.#count] = at
    this.#indexes[this.#count++] = index
    const txid = this.#txid
    for (let i = 0; i < 32; i++) to[at++] = txid[i]!
    const view = this.#view
    view.setUint32(at, index, true)
    view.setUint32(at + 4, code, true)
    view.setUint32(at + 8, sats, true)
    view.setUint32(at + 12, sats / 2 ** 32, true)
    at += 16
    const bytes = this.#bytes
    if (size < 4) {
      const [before, after] = scriptForms[size]!
      to[at++] = before.length + packed + after.length
      for (let i = 0; i < before.length; i++) to[at++] = before[i]!
      for (let i = start; i < start + packed; i++) to[at++] = bytes[i]!
      for (let i = 0; i < after.length; i++) to[at++] = after[i]!
    } else if (size < 6) {
      to[at++] = 67
      to[at++] = 65
      to.set(this.#uncompressedKey(size, start), at)
      at += 65
      to[at++] = 0xac
    } else {
      if (packed < 0xfd) to[at++] = packed
      else {
        to[at++] = 0xfd
        to[at++] = packed & 0xff
        to[at++] = packed >>> 8
      }
      if (packed > 64) to.set(bytes.subarray(start, start + packed), at)
      else for (let i = 0; i < packed; i++) to[at + i] = bytes[start + i]!
      at += packed
    }
    this.#filled = at
  }

  #uncompressedKey(size: number, start: number): Uint8Array {
    const key = Buffer.concat([Uint8Array.of(size - 2), this.#bytes.subarray(start, start + 32)])
    try {
      const point = ECDH.convertKey(key, 'secp256k1', undefined, undefined, 'uncompressed')
      return typeof point === 'string' ? Buffer.from(point, 'latin1') : point
    } catch {
      throw this.#invalid(start, 'a public key is no point of the curve')
    }
  }

  /**
   * Coins of a transaction are hashed by index, but stored in order of encoded indexes, which
   * differs from 16,512 on (serialize.h, `VARINT`).
   */
  #endTransaction(): void {
    const indexes = this.#indexes
    let isSorted = true
    for (let i = 1; i < this.#count; i++) isSorted &&= indexes[i - 1]! < indexes[i]!
    if (!isSorted) {
      const from = this.#starts[0]!
      const parts = Array.from({ length: this.#count }, (_, i) => {
        const end = i + 1 < this.#count ? this.#starts[i + 1]! : this.#filled
        return { index: indexes[i]!, bytes: this.#hashed.slice(this.#starts[i]!, end) }
      })
      parts.sort((a, b) => a.index - b.index)
      this.#hashed.set(Buffer.concat(parts.map(({ bytes }) => bytes)), from)
    }
    this.#count = 0
    if (this.#filled < hashEveryBytes) return
    this.#hash.update(this.#hashed.subarray(0, this.#filled))
    this.#filled = 0
  }

  #invalid(at: number, what: string): CoinstrataError {
    return new CoinstrataError('invalid_file', `${this.#name}, byte ${this.#offset + at}: ${what}`, {
      cure: 'let the node write it again: "coinstrata audit --coins" without --file, or "bitcoin-cli dumptxoutset PATH latest"',
    })
  }
}

import { secondsPerDay } from '#base/days.ts'
import { binsPerTenfold, firstTenfold, outputBins } from '#contract/output-bins.ts'
import type { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { p2tr } from '#ingest/chain/output-kind.ts'
import { marks } from '#ingest/chain/transaction-marks.ts'

/** Maximum outputs of a transaction that is counted; payouts grew when fees rose. */
const maxOutputs = 100
const maxLaterOutputs = 250
const laterHeight = 630_000
/** Maximum inputs of a payment with change. */
const maxInputs = 5

/** Bits of a float that choose its bin: steps of 0.05 %, a fifth of a bin. */
const mantissaBits = 11
const shift = 23 - mantissaBits
const minSats = 10 ** firstTenfold
const maxSats = minSats * 10 ** (outputBins / binsPerTenfold)
const floats = new Float32Array(1)
const bits = new Uint32Array(floats.buffer)

function floatCode(sats: number): number {
  floats[0] = sats
  return bits[0]! >>> shift
}

const firstCode = floatCode(minSats)
/** Bin by the leading bits of a value: faster than a logarithm and the same on every machine. */
const binByCode = Uint16Array.from({ length: floatCode(maxSats) - firstCode + 1 }, (_, i) => {
  bits[0] = (firstCode + i) << shift
  const bin = Math.floor(binsPerTenfold * (Math.log10(floats[0]!) - firstTenfold) + 1e-9)
  return Math.min(outputBins - 1, Math.max(0, bin))
})
/** Values with at most three digits before their zeros are round in BTC. */
const roundUnits = Float64Array.from({ length: outputBins / binsPerTenfold }, (_, i) => 10 ** (firstTenfold + i - 2))

/** Bin of a value in satoshis; −1 if it is outside of all or a round amount of BTC. */
export function toOutputBin(sats: number): number {
  if (sats < minSats || sats >= maxSats) return -1
  const bin = binByCode[floatCode(sats) - firstCode]!
  const unit = roundUnits[(bin / binsPerTenfold) | 0]!
  return Math.floor(sats / unit) * unit === sats ? -1 : bin
}

/**
 * Counts the outputs of an hour by value, those of most payments (`broad`) and of payments with
 * change from older coins (`narrow`).
 */
export class OutputHours {
  readonly #broad = new Uint32Array(outputBins)
  readonly #narrow = new Uint32Array(outputBins)

  /** @param times monotone times of blocks by height */
  add(height: number, block: DecodedBlock, times: Uint32Array): void {
    const { transactionCount, inputCounts, outputCounts, createdEnds, createdValues, createdTypes, spentHeights } =
      block
    const limit = height < laterHeight ? maxOutputs : maxLaterOutputs
    const startOfDay = times[height]! - (times[height]! % secondsPerDay)
    const broad = this.#broad
    const narrow = this.#narrow
    let spent = 0
    for (let i = 1; i < transactionCount; i++) {
      const inputs = inputCounts[i]!
      const outputs = outputCounts[i]!
      const spentEnd = spent + inputs
      if (outputs <= limit && (block.marks[i]! & marks.opReturn) === 0) {
        let isNarrow = outputs === 2 && inputs <= maxInputs
        for (let at = spent; isNarrow && at < spentEnd; at++) isNarrow = times[spentHeights[at]!]! < startOfDay
        for (let at = createdEnds[i - 1]!; at < createdEnds[i]!; at++) {
          if (createdTypes[at] === p2tr) continue
          const bin = toOutputBin(createdValues[at]!)
          if (bin < 0) continue
          broad[bin]!++
          if (isNarrow) narrow[bin]!++
        }
      }
      spent = spentEnd
    }
  }

  /** Returns the packed counts of both and begins again; `undefined` without outputs. */
  take(): { readonly broad: string; readonly narrow: string } | undefined {
    const broad = packCounts(this.#broad)
    if (broad === '') return undefined
    const narrow = packCounts(this.#narrow)
    this.#broad.fill(0)
    this.#narrow.fill(0)
    return { broad, narrow }
  }
}

/** Gaps and counts up to these limits take one character together, others six. */
const gaps = 6
const shortCounts = 20
const longCode = gaps * shortCounts + 1
/** Base of three-digit numbers; no character is NUL. */
const digits = 126

const characters = Buffer.alloc(7 * outputBins)

/** Packs counts into a text: for each bin with outputs, the gap before it and its count. */
export function packCounts(counts: Uint32Array): string {
  let length = 0
  let before = -1
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin]!
    if (count === 0) continue
    const gap = bin - before - 1
    before = bin
    if (gap < gaps && count <= shortCounts) characters[length++] = 1 + gap * shortCounts + count - 1
    else {
      characters[length++] = longCode
      for (const number of [gap, count]) {
        for (const place of [digits ** 2, digits, 1]) characters[length++] = 1 + (Math.floor(number / place) % digits)
      }
    }
  }
  return characters.toString('latin1', 0, length)
}

/** Adds packed counts to `counts`. */
export function addPacked(text: string, counts: Uint32Array): void {
  let bin = -1
  let at = 0
  const readNumber = (): number => {
    let number = 0
    for (let i = at; i < at + 3; i++) number = digits * number + text.charCodeAt(i) - 1
    at += 3
    return number
  }
  while (at < text.length) {
    const code = text.charCodeAt(at++)
    if (code === longCode) {
      bin += 1 + readNumber()
      counts[bin]! += readNumber()
    } else {
      bin += 1 + Math.floor((code - 1) / shortCounts)
      counts[bin]! += 1 + ((code - 1) % shortCounts)
    }
  }
}

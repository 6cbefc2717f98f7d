/**
 * 32 bins per doubling, off by at most 1/64. Float bits are faster than a logarithm and
 * machine-independent.
 */
const mantissaBits = 5
const binsPerOctave = 1 << mantissaBits

/** Bins for values from 0 to 2^53. */
export const binCount = 53 * binsPerOctave + 1

const floats = new Float32Array(1)
const bits = new Uint32Array(floats.buffer)
const shift = 23 - mantissaBits
const firstBin = 127 << mantissaBits

/** `value` must not be negative. */
export function toBin(value: number): number {
  floats[0] = value + 1
  return (bits[0]! >>> shift) - firstBin
}

/** Lowest value of a bin. */
export const binLowerEdge = (bin: number): number => binWidth(bin) * (binsPerOctave + (bin % binsPerOctave)) - 1

export const binWidth = (bin: number): number => 2 ** Math.floor(bin / binsPerOctave) / binsPerOctave

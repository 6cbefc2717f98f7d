/**
 * Histogram bins that widen with the value: 32 per doubling, so a value read back from its bin is off by at most 1/64.
 * The bin is taken from the bits of a float, which is faster than a logarithm and the same on every machine.
 */
const mantissaBits = 5
const binsPerOctave = 1 << mantissaBits

/** Bins for values from 0 to 2^53. */
export const binCount = 53 * binsPerOctave + 1

const floats = new Float32Array(1)
const bits = new Uint32Array(floats.buffer)
const shift = 23 - mantissaBits
const firstBin = 127 << mantissaBits

/** The bin of a value ≥ 0. */
export function binOf(value: number): number {
  floats[0] = value + 1
  return (bits[0]! >>> shift) - firstBin
}

/** For SQL: the smallest value of a bin, and how far it is from there to the next bin's. */
export const binMacros = `
  CREATE OR REPLACE TEMP MACRO bin_lower_edge(bin) AS
    pow(2, bin // ${binsPerOctave}) * (1 + (bin % ${binsPerOctave}) / ${binsPerOctave}) - 1;
  CREATE OR REPLACE TEMP MACRO bin_width(bin) AS pow(2, bin // ${binsPerOctave}) / ${binsPerOctave};`

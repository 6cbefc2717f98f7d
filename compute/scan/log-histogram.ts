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

/**
 * SQL macros for the lowest value of a bin, its width, and the value of a rank in it. Values are
 * whole numbers, spread evenly over their bin. `reached` is the count up to the bin's end.
 */
export const binMacros = `
  CREATE OR REPLACE TEMP MACRO bin_lower_edge(bin) AS
    pow(2, bin // ${binsPerOctave}) * (1 + (bin % ${binsPerOctave}) / ${binsPerOctave}) - 1;
  CREATE OR REPLACE TEMP MACRO bin_width(bin) AS pow(2, bin // ${binsPerOctave}) / ${binsPerOctave};
  CREATE OR REPLACE TEMP MACRO bin_quantile(lower_edge, width, count, reached, rank) AS
    lower_edge + greatest(width - 1, 0) * (rank - (reached - count)) / count;`

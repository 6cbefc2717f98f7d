/** Values along a straight line of pixels. NaN stays NaN. */
export interface Scale {
  readonly position: (value: number) => number
  readonly value: (position: number) => number
}

type Ends = readonly [from: number, to: number]

/** Spreads the values of `domain`, which ascends, evenly over `pixels`. */
export function linearScale(domain: Ends, pixels: Ends): Scale {
  const [low, high] = domain
  const [from, to] = pixels
  return {
    position: (value) => between(from, to, (value - low) / (high - low)),
    value: (position) => between(low, high, (position - from) / (to - from)),
  }
}

/** The same for values above zero, evenly by their logarithm. */
export function logScale(domain: Ends, pixels: Ends): Scale {
  const { position, value } = linearScale([Math.log(domain[0]), Math.log(domain[1])], pixels)
  return { position: (positive) => position(Math.log(positive)), value: (pixel) => Math.exp(value(pixel)) }
}

/** At both ends exactly theirs, which a sum of one end and a part of the distance is not. */
function between(from: number, to: number, part: number): number {
  return from * (1 - part) + to * part
}

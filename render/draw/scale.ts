/** Maps values to pixels and back. NaN stays NaN. */
export interface Scale {
  readonly position: (value: number) => number
  readonly value: (position: number) => number
}

type Ends = readonly [from: number, to: number]

export function linearScale(domain: Ends, pixels: Ends): Scale {
  const [low, high] = domain
  const [from, to] = pixels
  return {
    position: (value) => between(from, to, (value - low) / (high - low)),
    value: (position) => between(low, high, (position - from) / (to - from)),
  }
}

/** Both ends of `domain` are above zero. */
export function logScale(domain: Ends, pixels: Ends): Scale {
  const { position, value } = linearScale([Math.log(domain[0]), Math.log(domain[1])], pixels)
  return { position: (positive) => position(Math.log(positive)), value: (pixel) => Math.exp(value(pixel)) }
}

/** Exact at both ends, unlike `from + (to - from) * part`. */
const between = (from: number, to: number, part: number): number => from * (1 - part) + to * part

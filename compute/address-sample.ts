/**
 * How addresses are counted: balances from a sample of the addresses or of all, or no addresses at
 * all.
 */
export const addressModes = ['sample', 'all', 'off'] as const
export type AddressMode = (typeof addressModes)[number]

/** The addresses whose identity has this remainder: the lower word modulo a power of two. */
export interface Sample {
  readonly modulus: number
  readonly residue: number
}

/**
 * A residue other than zero: identities that begin with zeros are no rarer than others, but
 * mistakes are.
 */
export const samples: Readonly<Record<AddressMode, Sample | undefined>> = {
  sample: { modulus: 64, residue: 21 },
  all: { modulus: 1, residue: 0 },
  off: undefined,
}

/**
 * Outputs of at least this value are kept for all addresses, so that the few large balances are not
 * left to chance.
 */
export const minLargeSats = 10_0000_0000

/** Counts balances from a sample of the addresses or from all, or counts no addresses. */
export const addressModes = ['sample', 'all', 'off'] as const
export type AddressMode = (typeof addressModes)[number]

/**
 * Selects the addresses whose lower identity word is `residue` modulo `modulus`, a power of two.
 */
export interface Sample {
  readonly modulus: number
  readonly residue: number
}

/** The residue is not 0, because a bug could leave identities 0. */
export const samples: Readonly<Record<AddressMode, Sample | undefined>> = {
  sample: { modulus: 64, residue: 21 },
  all: { modulus: 1, residue: 0 },
  off: undefined,
}

/**
 * Outputs from this value on are kept for all addresses: large balances are few, and a sample would
 * leave them to chance.
 */
export const minLargeSats = 10_0000_0000

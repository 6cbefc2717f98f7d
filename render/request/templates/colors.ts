import { falling, rising } from '../../draw/theme.ts'

/**
 * Distinct for colour-blind readers: never red against green. Lines have contrast 3:1 in both
 * themes.
 */
export const blue = rising
export const orange = falling
export const red = '#c9405f'
export const grey = '#858c97'
export const teal = '#3f9690'

/** Zone fills, from dear to cheap, with equal meaning in all templates. */
export const zoneColors = {
  /** Holders gain much, and tend to sell. */
  overheated: red,
  warm: orange,
  neutral: '#a3902c',
  cool: teal,
  /** Holders lose; few are left to sell. */
  undervalued: blue,
} as const

import {
  interpolateCividis,
  interpolateInferno,
  interpolateMagma,
  interpolateTurbo,
  interpolateViridis,
} from 'd3-scale-chromatic'
import type { ColorScaleName } from '#contract/chart-options.ts'
import { interpolatePlasma } from './plasma.ts'

/** All color scales: 3 kB, which pages load for heatmaps. */
export const colorScales: Readonly<Record<ColorScaleName, (part: number) => string>> = {
  viridis: interpolateViridis,
  plasma: interpolatePlasma,
  inferno: interpolateInferno,
  magma: interpolateMagma,
  turbo: interpolateTurbo,
  cividis: interpolateCividis,
}

import type * as ColorMarks from './color-marks.ts'
import type { ChartSpecification } from './specification.ts'

let loaded: typeof ColorMarks | undefined

/** Whether colours show values: in a heatmap, rows of cells, a coloured line or a table of months. */
export const hasColorMarks = ({ heatmap, monthGrid, series }: ChartSpecification): boolean =>
  heatmap !== undefined ||
  monthGrid !== undefined ||
  series.some(({ style, colorBy }) => style === 'heatmap' || colorBy !== undefined)

/** Loads what draws charts with `hasColorMarks`, which most pages do not need. */
export async function loadColorMarks(): Promise<void> {
  loaded ??= await import('./color-marks.ts')
}

export function requireColorMarks(): typeof ColorMarks {
  if (loaded) return loaded
  throw new Error('color marks are drawn before they are loaded')
}

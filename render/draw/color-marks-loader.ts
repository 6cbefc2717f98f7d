import type * as ColorMarks from './color-marks.ts'
import type { ChartSpecification } from './specification.ts'

let loaded: typeof ColorMarks | undefined

/** Whether colours show values: heatmap, rows of cells, coloured line or table of months. */
export const hasColorMarks = ({ heatmap, monthGrid, series }: ChartSpecification): boolean =>
  heatmap !== undefined ||
  monthGrid !== undefined ||
  series.some(({ style, colorBy }) => style === 'heatmap' || colorBy !== undefined)

/** Most pages do not need this code. */
export async function loadColorMarks(): Promise<void> {
  loaded ??= await import('./color-marks.ts')
}

export function requireColorMarks(): typeof ColorMarks {
  if (loaded) return loaded
  throw new Error('color marks are drawn before they are loaded')
}

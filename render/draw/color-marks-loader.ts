import type * as ColorMarks from './color-marks.ts'
import type * as MonthGrid from './month-grid.ts'
import type { ChartSpecification } from './specification.ts'

let loaded: typeof ColorMarks | undefined
let loadedGrid: typeof MonthGrid | undefined

/** Whether colours show values: heatmap, rows of cells, coloured line or table of months. */
export const hasColorMarks = ({ heatmap, monthGrid, series }: ChartSpecification): boolean =>
  heatmap !== undefined ||
  monthGrid !== undefined ||
  series.some(({ style, colorBy }) => style === 'heatmap' || colorBy !== undefined)

/** Most pages do not need this code, and few a table of months. */
export async function loadColorMarks(needsMonthGrid = true): Promise<void> {
  loaded ??= await import('./color-marks.ts')
  if (needsMonthGrid) loadedGrid ??= await import('./month-grid.ts')
}

export const requireColorMarks = (): typeof ColorMarks => requireLoaded(loaded)
export const requireMonthGrid = (): typeof MonthGrid => requireLoaded(loadedGrid)

function requireLoaded<Module>(module: Module | undefined): Module {
  if (module) return module
  throw new Error('color marks are drawn before they are loaded')
}

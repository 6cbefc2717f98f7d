/** Marks that show values by their colour. Pages load them when a chart has some. */

export { drawCells } from './cells.ts'
export { drawColorLegend, layOutColorLegend } from './color-legend.ts'
export { findColorRange } from './color-range.ts'
export { drawHeatmap, resampleHeatmap } from './heatmap.ts'
export { drawMonthGrid } from './month-grid.ts'

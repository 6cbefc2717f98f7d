/** Marks that show values by colour; pages load them on demand. */

export { drawCells } from './cells.ts'
export { drawColorLegend, layOutColorLegend } from './color-legend.ts'
export { findColorRange } from './color-range.ts'
export { drawHeatmap, resampleHeatmap } from './heatmap.ts'

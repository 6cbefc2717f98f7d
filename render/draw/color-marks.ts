/** Marks that show values by colour, and labels of cycles; pages load them on demand. */

export { drawCells } from './cells.ts'
export { drawColorLegend, layOutColorLegend } from './color-legend.ts'
export { findColorRange } from './color-range.ts'
export { listCycleLabels } from './cycle-labels.ts'
export { drawHeatmap, resampleHeatmap } from './heatmap.ts'

import { renderChart } from './chart.ts'
import { cohortMetrics } from './cohort.ts'
import { compareMetrics } from './compare.ts'
import { costBasis } from './cost-basis.ts'
import { cycleTools } from './cycles.ts'
import { dailyTools } from './daily.ts'
import { definitionTools } from './definitions.ts'
import { latestMetrics } from './latest.ts'
import { listTools } from './lists.ts'
import { marketTools } from './markets.ts'
import { series } from './series.ts'
import { status } from './status.ts'
import type { Tool } from './tool.ts'
import { utxoHistory } from './utxo-history.ts'

/** Every tool, in the order in which assistants see them. */
export const tools: readonly Tool[] = [
  ...definitionTools,
  latestMetrics,
  series,
  compareMetrics,
  ...dailyTools,
  cohortMetrics,
  utxoHistory,
  costBasis,
  ...cycleTools,
  ...marketTools,
  ...listTools,
  renderChart,
  status,
]

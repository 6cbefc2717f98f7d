import { alerts } from './alerts.ts'
import { renderChart } from './chart.ts'
import { compareMetrics } from './compare.ts'
import { costBasis } from './cost-basis.ts'
import { compareCycles, cycleTools } from './cycles.ts'
import { cohortMetrics, dailyTools } from './daily.ts'
import { definitionTools } from './definitions.ts'
import { findDays, topDays } from './find-days.ts'
import { latestMetrics } from './latest.ts'
import { marketTools, treasuryReports } from './markets.ts'
import { ranking } from './ranking.ts'
import { fetchDocument, search } from './search-fetch.ts'
import { series } from './series.ts'
import { status } from './status.ts'
import type { Tool } from './tool.ts'
import { utxoHistory } from './utxo-history.ts'
import { whatChanged } from './what-changed.ts'

/** In the order that assistants see. */
export const tools: readonly Tool[] = [
  ...definitionTools,
  series,
  findDays,
  topDays,
  ranking,
  compareMetrics,
  compareCycles,
  ...dailyTools,
  cohortMetrics,
  utxoHistory,
  costBasis,
  ...cycleTools,
  ...marketTools,
  treasuryReports,
  whatChanged,
  latestMetrics,
  renderChart,
  alerts,
  status,
  search,
  fetchDocument,
]

export const listedTools = tools.map(({ listed }) => listed)

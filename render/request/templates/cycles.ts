import type { CycleFamily } from '#contract/cycle-families.ts'
import type { ChartTemplate } from '../template.ts'
import { level, lines } from './parts.ts'

/** Overlaid cycles of a family. */
const cycles = (names: Readonly<Record<string, string>>, family: CycleFamily) =>
  ({ metrics: lines(names), x_axis: 'day_offset', cycle_family: family }) satisfies Partial<ChartTemplate>

export const cycleTemplates = {
  cycle_perf_low: {
    title: 'Price since the cycle low',
    subtitle: 'Each cycle as a multiple of its lowest close; the running one is drawn strongest.',
    ...cycles({ price: 'Price' }, 'low'),
    indexed: true,
    reference_lines: [level(1, 'Low')],
  },
  cycle_perf_ath: {
    title: 'Price since the cycle high',
    subtitle: 'Each cycle as a part of its highest close; all fell for about a year before they turned.',
    ...cycles({ price: 'Price' }, 'ath'),
    indexed: true,
    reference_lines: [level(1, 'High of the cycle')],
  },
  cycle_perf_halving: {
    title: 'Price since the halving',
    subtitle: 'Each cycle as a multiple of the price on the day of its halving; later cycles have risen less.',
    ...cycles({ price: 'Price' }, 'halving'),
    indexed: true,
    reference_lines: [level(1, 'Price at the halving')],
  },
  drawdown_cycles: {
    title: 'Drawdown since the cycle top',
    subtitle: 'How far the price was below its highest close so far, day by day; falls have become less deep.',
    ...cycles({ drawdown: 'Drawdown' }, 'ath'),
    // All cycles had their low by then and hardly any a new high, after which lines would overlap
    // at the top.
    days: 600,
  },
  mvrv_cycles: {
    title: 'MVRV since the halving',
    subtitle: 'MVRV on the same day of each cycle; tops came about a year and a half after the halving.',
    ...cycles({ mvrv: 'MVRV' }, 'halving'),
    reference_lines: [level(1, 'Cost of all coins')],
  },
  lth_supply_cycles: {
    title: 'Supply of long-term holders since the cycle top',
    subtitle: 'After a top, coins grow old again; the sooner the line rises, the sooner holders stopped selling.',
    ...cycles({ lth_supply_percent: 'Long-term supply' }, 'ath'),
  },
} satisfies Record<string, ChartTemplate>

import type { CycleFamily } from '#contract/cycle-families.ts'
import type { ChartTemplate } from '../template.ts'

function priceSince(beginning: string, family: CycleFamily, subtitle: string): ChartTemplate {
  return {
    title: `Price since ${beginning}`,
    subtitle,
    metrics: [{ id: 'price', label: 'Price' }],
    x_axis: 'day_offset',
    cycle_family: family,
    indexed: true,
  }
}

export const cycleTemplates = {
  cycle_perf_low: priceSince(
    'the cycle low',
    'low',
    'Each cycle as a multiple of its lowest close; the running one is drawn strongest.',
  ),
  cycle_perf_ath: priceSince(
    'the cycle high',
    'ath',
    'Each cycle as a part of its highest close; all fell for about a year before they turned.',
  ),
  cycle_perf_halving: priceSince(
    'the halving',
    'halving',
    'Each cycle as a multiple of the price on the day of its halving; later cycles have risen less.',
  ),
  drawdown_cycles: {
    title: 'Drawdown since the cycle top',
    subtitle: 'How far the price was below its highest close so far, day by day; falls have become less deep.',
    metrics: [{ id: 'drawdown', label: 'Drawdown' }],
    x_axis: 'day_offset',
    cycle_family: 'ath',
    // All cycles had their low by then and hardly any a new high, after which lines would overlap
    // at the top.
    days: 600,
  },
  mvrv_cycles: {
    title: 'MVRV since the halving',
    subtitle: 'MVRV on the same day of each cycle; tops came about a year and a half after the halving.',
    metrics: [{ id: 'mvrv', label: 'MVRV' }],
    x_axis: 'day_offset',
    cycle_family: 'halving',
  },
  lth_supply_cycles: {
    title: 'Supply of long-term holders since the cycle top',
    subtitle: 'After a top, coins grow old again; the sooner the line rises, the sooner holders stopped selling.',
    metrics: [{ id: 'lth_supply_percent', label: 'Long-term supply' }],
    x_axis: 'day_offset',
    cycle_family: 'ath',
  },
} satisfies Record<string, ChartTemplate>

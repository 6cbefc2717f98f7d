import { useState } from 'preact/hooks'
import { useTitle } from '../../app/title.ts'
import { ChartPanel } from '../../chart/panel.tsx'
import type { View } from '../../chart/view.ts'
import { Cards } from './cards.tsx'
import { firstChart } from './first-chart.ts'
import { Movers } from './movers.tsx'
import { Price } from './price.tsx'
import { Proof } from './proof.tsx'
import { TakeAway } from './take-away.tsx'

const cycles = { metric: 'price', x_axis: 'day_offset' as const, indexed: true, scale: 'log' as const }

/** The state of the market on one page: price, eight numbers, what coins cost, the cycle, and what moved. */
export function Today() {
  useTitle('Today')
  const [view, setView] = useState<View>({ range: 'cycle', days: undefined, scale: undefined })
  const [cycleView, setCycleView] = useState<View>({ range: 'all', days: undefined, scale: undefined })
  return (
    <div class="today">
      <div class="opening">
        <Price />
        <Proof />
      </div>
      <Cards />
      <ChartPanel
        title="Price and what coins cost"
        note="Below the short-term cost basis, recent buyers are at a loss; below the realized price, the whole market is."
        options={firstChart}
        view={view}
        onView={setView}
      />
      <ChartPanel
        title="Where we are in the cycle"
        note="The price divided by its price at each halving, day by day."
        options={cycles}
        view={cycleView}
        onView={setCycleView}
        height={400}
      />
      <div class="two">
        <Movers />
        <TakeAway />
      </div>
    </div>
  )
}

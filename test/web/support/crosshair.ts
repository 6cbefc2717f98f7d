import { expect } from 'vitest'
import { packChart } from '#web/chart/chart-body.ts'
import { writeReading } from '#web/chart/readings.ts'
import { readings, rowsOf } from './chart-controls.ts'
import { open, page } from './opened.ts'

/** The crosshair reads all digits that the API serves. */
export async function expectReadings(interval: 'day' | 'week' | 'month'): Promise<void> {
  const formula = 'circulating_supply * 100000000'
  const ids = ['market_cap', 'mvrv', 'blocks_mined', 'drawdown']
  await open(
    `/chart/${await packChart({ title: 'A chart', metrics: ids.map((id) => (id === 'mvrv' ? { id, y_axis_id: 'right' } : id)), formulas: [{ expression: formula, unit: 'sats', y_axis_id: 'right' }], interval, range: 'all' })}`,
  )
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowRight')
  const query = `metrics=${ids}&formula=${encodeURIComponent(formula)}&interval=${interval}&limit=1`
  const [row] = await rowsOf(`series?${query}`)
  const { market_cap = 0, mvrv = 0, blocks_mined = 0, drawdown = 0, formula: sats = 0 } = row ?? {}
  await expect
    .poll(readings)
    .toEqual([
      writeReading('USD', market_cap),
      writeReading('ratio', mvrv),
      writeReading('count', blocks_mined),
      writeReading('percent', 100 * drawdown),
      writeReading('sats', sats),
    ])
  expect(sats).toBeGreaterThan(1e12)
}

import { expect, it } from 'vitest'
import { trials } from '#test/support/trials.ts'
import { simulateMarket } from './simulated-hours.ts'

it.each(Array.from({ length: trials(1, 40) }, (_, i) => 100 + i))(
  'never locks at another price in eight years, path %i',
  (seed) => {
    const crash = (hour: number): number => (hour % 9000 >= 4000 && hour % 9000 < 4024 ? 0.55 ** (1 / 24) : 1)
    const { published, median, greatest } = simulateMarket({ seed, days: 8 * 365, move: crash, shrinking: 5 })
    expect(published).toBeGreaterThanOrEqual(0.97)
    expect(median).toBeLessThanOrEqual(0.001)
    expect(greatest).toBeLessThanOrEqual(0.01)
  },
  600_000,
)

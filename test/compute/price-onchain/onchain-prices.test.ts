import { expect, it } from 'vitest'
import { simulateMarket } from './simulated-hours.ts'

const crashHours = 24
const crash = (hour: number): number => {
  if (hour >= 480 && hour < 480 + crashHours) return 0.55 ** (1 / crashHours)
  return hour === 720 ? 0.85 : 1
}

it('finds prices of all days from one payment in 25', () => {
  const { published, median, greatest, days } = simulateMarket({ seed: 1, days: 60 })
  expect(published).toBeGreaterThanOrEqual(0.97)
  expect(median).toBeLessThanOrEqual(0.001)
  expect(greatest).toBeLessThanOrEqual(0.005)
  expect(days.every(({ price, low, high }) => low <= price && price <= high)).toBe(true)
})

it('follows a fall of 45 % in a day, and of 15 % in an hour', () => {
  const { published, greatest } = simulateMarket({ seed: 2, days: 50, move: crash })
  expect(published).toBeGreaterThanOrEqual(0.97)
  expect(greatest).toBeLessThanOrEqual(0.01)
})

it('is not moved by euros unless they are more', () => {
  const few = simulateMarket({ seed: 11, days: 60, euros: 0.4 })
  expect(few.published).toBeGreaterThan(0.8)
  expect(few.greatest).toBeLessThanOrEqual(0.015)
  const many = simulateMarket({ seed: 4, days: 30, euros: 0.6 })
  expect(many.published).toBeGreaterThan(0.8)
  expect(many.median).toBeGreaterThan(0.05)
})

it('does not say a price without payments of round amounts', () => {
  expect(simulateMarket({ seed: 1, days: 100, share: 0 }).published).toBeLessThanOrEqual(0.05)
})

it.each([0.5, 1.3, 2])('recovers from an anchor that is wrong by a factor of %d', (anchorError) => {
  const { days, closes } = simulateMarket({ seed: 5, days: 20, anchorError })
  for (const { day, price } of days.slice(2)) expect(Math.abs(price / closes[day]! - 1)).toBeLessThanOrEqual(0.005)
})

it('follows amounts that shrink', () => {
  const { published, greatest } = simulateMarket({ seed: 6, days: 150, shrinking: 5 })
  expect(published).toBeGreaterThanOrEqual(0.97)
  expect(greatest).toBeLessThanOrEqual(0.005)
})

it('continues from a stored state as if it had begun at the anchor', () => {
  // The last hour before has no block.
  const plan = { seed: 7, days: 40, emptyHour: 20 * 24 - 1 }
  const whole = simulateMarket(plan)
  const continued = simulateMarket({ ...plan, restartDay: 20 })
  expect(continued.days).toEqual(whole.days.slice(20))
})

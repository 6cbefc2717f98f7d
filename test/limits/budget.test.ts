import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Budget } from '#limits/budget.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const pro = { name: 'pro', tier: 'pro', isUnlimited: false } as const
const refusal = (budget: Budget, caller: Parameters<Budget['require']>[0]): unknown => {
  try {
    budget.require(caller)
    return undefined
  } catch (error) {
    return error
  }
}

test('what is left is told, and when it is whole again', () => {
  const budget = new Budget('cells', 'cells', 600)
  expect(budget.left(pro)).toEqual({ budget: 'cells', limit: 600, remaining: 600, whole_in: 0 })
  budget.spend(pro, 450)
  expect(budget.left(pro)).toEqual({ budget: 'cells', limit: 600, remaining: 150, whole_in: 45 })
  vi.advanceTimersByTime(15_000)
  expect(budget.left(pro)).toEqual({ budget: 'cells', limit: 600, remaining: 300, whole_in: 30 })
  budget.spend(pro, 700)
  expect(budget.left(pro)).toMatchObject({ remaining: 0, whole_in: 100 })
})

test('what is spent runs off evenly within a minute, and who waits as long as told goes on', () => {
  const budget = new Budget('cells', 'cells', 600)
  budget.spend(pro, 599)
  expect(refusal(budget, pro)).toBeUndefined()
  budget.spend(pro, 301)
  // 300 above it run off in 30 s, a tenth of it in 6 s.
  expect(refusal(budget, pro)).toMatchObject({
    code: 'budget_exceeded',
    status: 429,
    retryAfter: 36,
    details: { budget: 'cells', tier: 'pro', limit: 600, retry_after: 36 },
  })
  vi.advanceTimersByTime(29_900)
  expect(refusal(budget, pro)).toMatchObject({ retryAfter: 7 })
  vi.advanceTimersByTime(200)
  expect(refusal(budget, pro)).toBeUndefined()
  vi.advanceTimersByTime(600_000)
  budget.spend(pro, 599)
  expect(refusal(budget, pro)).toBeUndefined()
})

test('callers have budgets of their own, by tier; who is unlimited has none', () => {
  const budget = new Budget('cells', 'cells', 600)
  const enterprise = { name: 'enterprise', tier: 'enterprise', isUnlimited: false } as const
  const demo = { name: 'demo', tier: 'demo', isUnlimited: false } as const
  for (const caller of [pro, enterprise, demo]) budget.spend(caller, 700)
  expect(refusal(budget, pro)).toMatchObject({ details: { limit: 600 } })
  expect(refusal(budget, enterprise)).toBeUndefined()
  expect(refusal(budget, demo)).toMatchObject({ details: { limit: 120 } })
  budget.spend({ ...pro, name: 'own', isUnlimited: true }, 1e9)
  expect(refusal(budget, { ...pro, name: 'own' })).toBeUndefined()
})

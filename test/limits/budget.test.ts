import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Budget, createBudget } from '#limits/budget.ts'
import { createCounters } from '#test/support/admission.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const pro = { name: 'pro', tier: 'pro', isUnlimited: false } as const
const createCells = () => createBudget('cells', 'cells', 600, createCounters())
const refusal = (budget: Budget, caller: Parameters<Budget['require']>[0]): unknown => {
  try {
    budget.require(caller)
    return undefined
  } catch (error) {
    return error
  }
}

test('a budget reports what is left, and when all of it is available again', () => {
  const budget = createCells()
  expect(budget.left(pro)).toEqual({ budget: 'cells', limit: 600, remaining: 600, whole_in: 0 })
  budget.spend(pro, 450.25)
  expect(budget.left(pro)).toEqual({ budget: 'cells', limit: 600, remaining: 149, whole_in: 60 })
  vi.advanceTimersByTime(15_000)
  expect(budget.left(pro)).toEqual({ budget: 'cells', limit: 600, remaining: 149, whole_in: 45 })
  budget.spend(pro, 700)
  expect(budget.left(pro)).toMatchObject({ remaining: 0, whole_in: 45 })
  vi.advanceTimersByTime(45_000)
  expect(budget.left(pro)).toMatchObject({ remaining: 600, whole_in: 0 })
})

test('a caller without budget is refused until the minute ends, and not after as long as it was told', () => {
  const budget = createCells()
  budget.spend(pro, 599)
  expect(refusal(budget, pro)).toBeUndefined()
  budget.spend(pro, 301)
  vi.advanceTimersByTime(24_000)
  expect(refusal(budget, pro)).toMatchObject({
    code: 'budget_exceeded',
    status: 429,
    retryAfter: 36,
    details: { budget: 'cells', tier: 'pro', limit: 600, retry_after: 36 },
  })
  vi.advanceTimersByTime(36_000)
  expect(refusal(budget, pro)).toBeUndefined()
})

test('callers have budgets of their own, by tier; unlimited ones have none', () => {
  const budget = createCells()
  const enterprise = { name: 'enterprise', tier: 'enterprise', isUnlimited: false } as const
  const demo = { name: 'demo', tier: 'demo', isUnlimited: false } as const
  for (const caller of [pro, enterprise, demo]) budget.spend(caller, 700)
  expect(refusal(budget, pro)).toMatchObject({ details: { limit: 600 } })
  expect(refusal(budget, enterprise)).toBeUndefined()
  expect(refusal(budget, demo)).toMatchObject({ details: { limit: 120 } })
  budget.spend({ ...pro, name: 'own', isUnlimited: true }, 1e9)
  expect(refusal(budget, { ...pro, name: 'own' })).toBeUndefined()
})

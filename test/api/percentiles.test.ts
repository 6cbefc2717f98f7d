import { expect, test } from 'vitest'
import { keys, serveChain, server } from './support/chain-service.ts'

serveChain()
const ask = async (target: string) =>
  (await fetch(`${server.url}/v1/${target}`, { headers: keys.get('enterprise')! })).json()

test('a ratio changes between its formula over a week and that over the week before', async () => {
  const names = ['realized_profit', 'realized_loss'] as const
  const { data: days, error } = await ask(`series?metrics=${names}&limit=14`)
  expect(error).toBeUndefined()
  expect(days).toHaveLength(14)
  const ratioOf = (from: number): number => {
    const [profit, loss] = names.map((name) =>
      days.slice(from, from + 7).reduce((sum: number, day: Record<string, number>) => sum + day[name]!, 0),
    )
    return profit / loss
  }
  const { data } = await ask('metrics/percentiles?metrics=realized_pl_ratio&fields=all&period=week')
  expect(data[0].change).toBeCloseTo(100 * (ratioOf(0) / ratioOf(7) - 1), 6)
})

import type { ReadColumn } from '#sql/columns.ts'

const largest = 3

const measures = ['pool_count', 'pool_top3_percent', 'pool_herfindahl', 'pool_unknown_percent']

/**
 * A measure of how the blocks of each period so far are shared among pools. As in
 * `sql/statements/pool-aggregate.sql`, shares are of all blocks.
 * @param measure its metric
 * @param rows of `pool_days` by day, as rows of `mined`; `code` identifies the pool
 * @param mined blocks of each day
 * @param starts first day of the period of each day
 */
export function countPoolsToDate(
  measure: string,
  { row, code, blocks }: Readonly<Record<'row' | 'code' | 'blocks', ReadColumn>>,
  mined: Float64Array,
  starts: ArrayLike<number>,
): Float64Array {
  const pools = new Map<number, number>()
  let [all, next] = [0, 0]
  return mined.map((_, day) => {
    const isFirst = starts[day] !== starts[day - 1]
    if (isFirst) pools.clear()
    all = (isFirst ? 0 : all) + (mined[day]! || 0)
    for (; next < row.length && row[next]! <= day; next++)
      pools.set(code[next]!, (pools.get(code[next]!) ?? 0) + blocks[next]!)
    const counts = [...pools.values()].sort((a, b) => b - a)
    const share = (some: readonly number[]): number => (100 * some.reduce((sum, blocks) => sum + blocks, 0)) / all
    const squares = counts.reduce((sum, blocks) => sum + blocks * blocks, 0)
    const values = [counts.length, share(counts.slice(0, largest)), squares / all ** 2, 100 - share(counts)]
    return values[measures.indexOf(measure)]!
  })
}

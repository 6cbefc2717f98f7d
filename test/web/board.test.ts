import { expect, test } from 'vitest'
import { maxBoardCharts, mergeBoards, moveChart, parseBoard } from '#web/data/boards.ts'

const charts = (...names: readonly string[]) => names.map((name) => ({ title: name, address: `/chart/${name}` }))

test('what was pinned before signing in comes after what the account has, each once', () => {
  const own = { title: '', charts: charts('a', 'b') }
  expect(mergeBoards(own, { title: 'Here', charts: charts('c', 'b', 'd') })).toEqual({
    merged: { title: 'Here', charts: charts('a', 'b', 'c', 'd') },
    rest: [],
  })
  expect(mergeBoards({ ...own, title: 'Mine' }, { title: 'Here', charts: [] }).merged.title).toBe('Mine')
})

test('what a board cannot hold is left', () => {
  const many = Array.from({ length: maxBoardCharts - 1 }, (_, i) => String(i))
  const { merged, rest } = mergeBoards(
    { title: '', charts: charts(...many) },
    { title: '', charts: charts('x', 'y', 'z') },
  )
  expect(merged.charts).toEqual(charts(...many, 'x'))
  expect(rest).toEqual(charts('y', 'z'))
})

test('a chart is moved to its place among the charts that there are, and one that is gone stays gone', () => {
  const of = (address: string, to: number) => moveChart(charts('a', 'b', 'c'), address, to)
  expect(of('/chart/a', 2)).toEqual(charts('b', 'c', 'a'))
  expect(of('/chart/c', 0)).toEqual(charts('c', 'a', 'b'))
  expect(of('/chart/b', 9)).toEqual(charts('a', 'c', 'b'))
  expect(of('/chart/x', 0)).toEqual(charts('a', 'b', 'c'))
})

test('what a browser kept is taken as far as it is whole', () => {
  const [whole] = charts('a')
  const kept = { title: 5, charts: [whole, null, 'x', { title: 'no address' }, { title: 'x', address: '//elsewhere' }] }
  expect(parseBoard(JSON.stringify(kept))).toEqual({ title: '', charts: [whole] })
  for (const text of [null, '{', 'null', '7', '{"charts":{}}']) {
    expect([text, parseBoard(text)]).toEqual([text, { title: '', charts: [] }])
  }
})

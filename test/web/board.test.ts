import { expect, test } from 'vitest'
import { maxBoardCharts, mergeBoards, moveChart, parseBoard } from '#web/data/boards.ts'

const charts = (...names: readonly string[]) => names.map((name) => ({ title: name, address: `/chart/${name}` }))

test('charts pinned before signing in follow those of the account, without duplicates', () => {
  const own = { title: '', charts: charts('a', 'b') }
  expect(mergeBoards(own, { title: 'Here', charts: charts('c', 'b', 'd') })).toEqual({
    merged: { title: 'Here', charts: charts('a', 'b', 'c', 'd') },
    rest: [],
  })
  expect(mergeBoards({ ...own, title: 'Mine' }, { title: 'Here', charts: [] }).merged.title).toBe('Mine')
})

test('charts that do not fit remain', () => {
  const many = Array.from({ length: maxBoardCharts - 1 }, (_, i) => String(i))
  const { merged, rest } = mergeBoards(
    { title: '', charts: charts(...many) },
    { title: '', charts: charts('x', 'y', 'z') },
  )
  expect(merged.charts).toEqual(charts(...many, 'x'))
  expect(rest).toEqual(charts('y', 'z'))
})

test('a chart is moved among the existing charts, and a removed one stays removed', () => {
  const of = (address: string, to: number) => moveChart(charts('a', 'b', 'c'), address, to)
  expect(of('/chart/a', 2)).toEqual(charts('b', 'c', 'a'))
  expect(of('/chart/c', 0)).toEqual(charts('c', 'a', 'b'))
  expect(of('/chart/b', 9)).toEqual(charts('a', 'c', 'b'))
  expect(of('/chart/x', 0)).toEqual(charts('a', 'b', 'c'))
})

test('invalid parts of a stored board are ignored', () => {
  const [whole] = charts('a')
  const kept = { title: 5, charts: [whole, null, 'x', { title: 'no address' }, { title: 'x', address: '//elsewhere' }] }
  for (const gap of ['\t', '\r', '\n']) kept.charts.push({ title: 'x', address: `/${gap}/elsewhere` })
  expect(parseBoard(JSON.stringify(kept))).toEqual({ title: '', charts: [whole] })
  for (const text of [null, '{', 'null', '7', '{"charts":{}}']) {
    expect([text, parseBoard(text)]).toEqual([text, { title: '', charts: [] }])
  }
})

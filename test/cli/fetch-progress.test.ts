import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '#base/log.ts'
import { showFetchProgress } from '../../cli/fetch-progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const stream = (isTTY: boolean) => {
  const written: string[] = []
  return { isTTY, written, write: (text: string) => written.push(text) }
}
const reached = Date.parse('2021-03-04')
const silent = createLogger('silent', stream(false))

test('on a terminal each source has a line with rows, day, share and time left, above which finished ones stay', () => {
  const terminal = stream(true)
  const out = stream(true)
  const view = showFetchProgress(silent, terminal)
  view.show({ source: 'bybit', rows: 200, reached, share: 0.1 })
  vi.advanceTimersByTime(60_000)
  view.show({ source: 'bybit', rows: 12_345, reached, share: 0.4 })
  // 30 % took a minute, so the other 60 % take two.
  expect(terminal.written.at(-1)).toBe('bybit            12,345 rows, reached 2021-03-04, 40 %, 2 min 0 s left\n')
  view.finish('bybit', 'ok bybit\n', out)
  expect(terminal.written.slice(-2)).toEqual(['\x1b[1A\x1b[J', ''])
  expect(out.written).toEqual(['ok bybit\n'])
})

test('elsewhere every running source is logged every half minute', () => {
  const info = vi.spyOn(silent, 'info')
  const terminal = stream(false)
  const view = showFetchProgress(silent, terminal)
  view.show({ source: 'okx', rows: 100, reached, share: 0.5 })
  view.show({ source: 'gate', rows: 7, reached, share: 0.25 })
  vi.advanceTimersByTime(29_999)
  expect(info).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(info.mock.calls.map(([, text]) => text)).toEqual([
    'okx: 100 rows, reached 2021-03-04, 50 %',
    'gate: 7 rows, reached 2021-03-04, 25 %',
  ])
  view.finish('okx', '', terminal)
  vi.advanceTimersByTime(30_000)
  expect(info).toHaveBeenCalledTimes(3)
  view.done()
  vi.advanceTimersByTime(60_000)
  expect(info).toHaveBeenCalledTimes(3)
  expect(terminal.written.join('')).toBe('')
})

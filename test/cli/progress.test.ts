import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLogger } from '#base/log.ts'
import { showProgress } from '../../cli/progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const stream = (isTTY: boolean) => {
  const written: string[] = []
  return { isTTY, written, write: (text: string) => written.push(text) }
}
const silent = createLogger('silent', stream(false))

test('time left follows the pace since the first blocks, not what came before them', () => {
  const terminal = stream(true)
  const progress = showProgress(silent, terminal)
  const last = (): string | undefined => /\d.*/.exec(terminal.written.at(-1) ?? '')?.[0]
  vi.advanceTimersByTime(60_000)
  progress.scanned(100, 1_000, 1e6)
  expect(last()).toBe('100 of 1,000 blocks, 10.0 %')
  vi.advanceTimersByTime(4_000)
  progress.scanned(300, 1_000, 9e6)
  // 200 blocks and 8 MB in four seconds, and 700 blocks to come.
  expect(last()).toBe('300 of 1,000 blocks, 30.0 %, 2.0 MB/s, 14 s left')
  progress.scanned(1_000, 1_000, 30e6)
  expect(last()).toBe('1,000 of 1,000 blocks, 100.0 %')
})

test('a terminal shows the part that is running, and logs do not', () => {
  const [terminal, file] = [stream(true), stream(false)]
  const progress = showProgress(silent, terminal)
  progress.say('computing')
  vi.advanceTimersByTime(12_000)
  progress.part?.('pass over flows')
  expect(terminal.written.at(-1)).toBe('\r\x1b[Kpass over flows, 12 s so far')
  progress.done()
  expect(terminal.written.at(-1)).toBe('\r\x1b[K')
  showProgress(silent, file).part?.('pass over flows')
  expect(file.written).toEqual([])
})

test('every step is reported, with the share of it that is done if it is known', () => {
  const reported: unknown[] = []
  const progress = showProgress(silent, stream(false), (...step) => reported.push(step))
  progress.say('computing')
  progress.part?.('simulated chain', 0.25)
  progress.part?.('flows')
  progress.scanned(100, 1_000, 1e6)
  expect(reported).toEqual([['computing'], ['simulated chain', 0.25], ['flows', undefined], ['reading blocks', 0.1]])
})

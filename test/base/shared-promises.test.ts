import { expect, test } from 'vitest'
import { shareRunning, shareSuccess } from '#base/shared-promises.ts'

/** Counts its runs; each ends when told to. */
function work() {
  const runs: PromiseWithResolvers<string>[] = []
  const start = (): Promise<string> => {
    const run = Promise.withResolvers<string>()
    runs.push(run)
    return run.promise
  }
  return { runs, start }
}

test('calls with one key share a promise while it runs; the next call starts again', async () => {
  const promises = new Map<string, Promise<string>>()
  const { runs, start } = work()
  const callers = [shareRunning(promises, 'a', start), shareRunning(promises, 'a', start)]
  const other = shareRunning(promises, 'b', start)
  expect(runs).toHaveLength(2)
  runs[0]!.resolve('first')
  runs[1]!.resolve('other')
  expect(await Promise.all([...callers, other])).toEqual(['first', 'first', 'other'])
  const next = shareRunning(promises, 'a', start)
  runs[2]!.reject(new Error('broken'))
  await expect(next).rejects.toThrow('broken')
  expect(promises.size).toBe(0)
})

test('a success is shared for ever, a failure only with who was waiting', async () => {
  const promises = new Map<string, Promise<string>>()
  const { runs, start } = work()
  const waiting = [shareSuccess(promises, 'a', start), shareSuccess(promises, 'a', start)]
  runs[0]!.reject(new Error('broken'))
  for (const call of waiting) await expect(call).rejects.toThrow('broken')
  const again = shareSuccess(promises, 'a', start)
  runs[1]!.resolve('second')
  expect(await again).toBe('second')
  expect(shareSuccess(promises, 'a', start)).toBe(again)
  expect(runs).toHaveLength(2)
})

test('a failure does not remove a promise that replaced it', async () => {
  const promises = new Map<string, Promise<string>>()
  const { runs, start } = work()
  const old = shareSuccess(promises, 'a', start)
  promises.clear()
  const newer = shareSuccess(promises, 'a', start)
  runs[0]!.reject(new Error('broken'))
  await expect(old).rejects.toThrow('broken')
  expect(promises.get('a')).toBe(newer)
})

import { effect, signal } from '@preact/signals'
import type { Health } from '#contract/health.ts'
import { maxSharedAgeMs } from '#contract/shared-caching.ts'
import { clearCache, hasOtherGeneration, readJson, unanswered } from './client.ts'

/** Undefined before the first answer. */
export const health = signal<Health | undefined>(undefined)
export const isUnreachable = signal(false)
/** Increases when pages must reload data. */
export const dataVersion = signal(0)

/** Sends all requests again, also pending ones. */
export function reloadData(): void {
  clearCache()
  dataVersion.value++
}

const pollIntervalMs = 60_000

/** Polls `/health` while the page is visible. */
export function watchFreshness(): void {
  const poll = async (): Promise<void> => {
    try {
      const response = await fetch('health')
      // Without data it answers 503, with a body.
      const answer = await readJson<Health>(response)
      const before = health.peek()
      const wasUnreachable = isUnreachable.peek()
      health.value = answer
      isUnreachable.value = false
      const isPublished = before !== undefined && before.generation !== answer.generation
      // Shared caches may still have old answers.
      if (isPublished) setTimeout(pollIfVisible, maxSharedAgeMs)
      const isNew = isPublished || hasOtherGeneration(answer.generation ?? undefined)
      if (isNew) reloadData()
      // Retry what failed meanwhile.
      else if (wasUnreachable) dataVersion.value++
    } catch {
      isUnreachable.value = true
    }
  }
  const pollIfVisible = (): void => {
    if (document.visibilityState === 'visible') void poll()
  }
  void poll()
  document.addEventListener('visibilitychange', pollIfVisible)
  for (const change of ['online', 'offline']) addEventListener(change, pollIfVisible)
  effect(() => void (unanswered.value > 0 && pollIfVisible()))
  let timer: ReturnType<typeof setInterval> | undefined
  effect(() => {
    clearInterval(timer)
    // Poll often while data is missing, so that the page recovers.
    timer = setInterval(
      pollIfVisible,
      isUnreachable.value || health.value?.status === 'data_not_ready' ? 1_000 : pollIntervalMs,
    )
  })
}

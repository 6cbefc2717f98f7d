import { effect, signal } from '@preact/signals'
import type { Health } from '#contract/health.ts'
import { maxSharedAgeMs } from '#contract/shared-caching.ts'
import { clearCache, hasOtherGeneration, readJson } from './client.ts'

/** The last answer of `/health`; undefined before the first. */
export const health = signal<Health | undefined>(undefined)
export const isUnreachable = signal(false)
/** Increases when a new generation is served. */
export const dataVersion = signal(0)

const pollIntervalMs = 60_000

/** Reads `/health` now and every minute while the page is visible. */
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
      // Shared caches may still have answers of the generation before.
      if (isPublished) setTimeout(pollIfVisible, maxSharedAgeMs)
      const isNew = isPublished || hasOtherGeneration(answer.generation ?? undefined)
      // Retry what failed while the service was unreachable.
      if (!isNew && !(wasUnreachable && !before)) return
      if (isNew) clearCache()
      dataVersion.value++
    } catch {
      isUnreachable.value = true
    }
  }
  const pollIfVisible = (): void => {
    if (document.visibilityState === 'visible') void poll()
  }
  void poll()
  document.addEventListener('visibilitychange', pollIfVisible)
  let timer: ReturnType<typeof setInterval> | undefined
  effect(() => {
    clearInterval(timer)
    // Poll more often while data is missing, so that the page recovers by itself.
    timer = setInterval(
      pollIfVisible,
      isUnreachable.value || health.value?.status === 'data_not_ready' ? 5_000 : pollIntervalMs,
    )
  })
}

import { effect, signal } from '@preact/signals'
import type { Health } from '#contract/health.ts'
import { clearCache, hasOtherGeneration, readJson } from './client.ts'

/** What is served and how it was proved; undefined until it was asked. */
export const health = signal<Health | undefined>(undefined)
/** The service does not answer. */
export const isUnreachable = signal(false)
/** Changes when another generation is served than that of what was shown. */
export const dataVersion = signal(0)

const pollIntervalMs = 60_000

/** Asks how fresh the data are, now and every minute while the page is seen. */
export function watchFreshness(): void {
  const poll = async (): Promise<void> => {
    try {
      const response = await fetch('health')
      // It answers 503 with a body while there are no data.
      const answer = await readJson<Health>(response)
      const before = health.peek()
      const wasUnreachable = isUnreachable.peek()
      health.value = answer
      isUnreachable.value = false
      const isNew = before
        ? before.generation !== answer.generation
        : hasOtherGeneration(answer.generation ?? undefined)
      // What failed while the service was away is asked for again.
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
    // Sooner where something is missing, so that the page fills by itself.
    timer = setInterval(
      pollIfVisible,
      isUnreachable.value || health.value?.status === 'data_not_ready' ? 5_000 : pollIntervalMs,
    )
  })
}

import { effect, signal } from '@preact/signals'
import type { Health } from '#contract/health.ts'
import { forgetAnswers, jsonOf, keepsOthersThan } from './client.ts'

/** What is served and how it was proved; undefined until it was asked. */
export const health = signal<Health | undefined>(undefined)
/** The service does not answer. */
export const isAway = signal(false)
/** Changes when another generation is served than that of what was shown. */
export const edition = signal(0)

const interval = 60_000

/** Asks how fresh the data are, now and every minute while the page is seen. */
export function watchFreshness(): void {
  const look = async (): Promise<void> => {
    try {
      const response = await fetch('health')
      // It answers 503 with a body while there are no data.
      const answer = await jsonOf<Health>(response)
      const before = health.peek()
      const wasAway = isAway.peek()
      health.value = answer
      isAway.value = false
      const isNew = before ? before.generation !== answer.generation : keepsOthersThan(answer.generation ?? undefined)
      // What failed while the service was away is asked for again.
      if (!isNew && !(wasAway && !before)) return
      if (isNew) forgetAnswers()
      edition.value++
    } catch {
      isAway.value = true
    }
  }
  const lookIfSeen = (): void => {
    if (document.visibilityState === 'visible') void look()
  }
  void look()
  document.addEventListener('visibilitychange', lookIfSeen)
  let timer: ReturnType<typeof setInterval> | undefined
  effect(() => {
    clearInterval(timer)
    // Sooner where something is missing, so that the page fills by itself.
    timer = setInterval(lookIfSeen, isAway.value || health.value?.status === 'data_not_ready' ? 5_000 : interval)
  })
}

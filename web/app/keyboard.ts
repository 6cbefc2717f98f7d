import { signal } from '@preact/signals'
import { type PageName, pages } from '#contract/pages.ts'
import { go } from './router.ts'

/** The list of keys is shown. */
export const isKeyListShown = signal(false)

/** After `g`, the page that a letter opens. */
export const pageKeys: Readonly<Record<string, { readonly page: PageName; readonly name: string }>> = {
  t: { page: 'today', name: 'Today' },
  m: { page: 'metrics', name: 'Metrics' },
  w: { page: 'workbench', name: 'Workbench' },
  c: { page: 'cohorts', name: 'Cohorts' },
  y: { page: 'cycles', name: 'Cycles' },
  i: { page: 'mining', name: 'Mining' },
  k: { page: 'markets', name: 'Markets' },
  b: { page: 'board', name: 'Board' },
  s: { page: 'status', name: 'Status' },
  d: { page: 'guides', name: 'Guides' },
}

/** Keys of the page that is shown, besides those that hold everywhere; the newest handler is asked first. */
const handlers: ((event: KeyboardEvent) => boolean)[] = []

/** Adds keys for as long as something is shown; returns what takes them away. */
export function addKeyHandler(handle: (event: KeyboardEvent) => boolean): () => void {
  handlers.unshift(handle)
  return () => void handlers.splice(handlers.indexOf(handle), 1)
}

/** Does what a key means where it was pressed; tells whether it means anything there. */
export const handleKey = (event: KeyboardEvent): boolean => handlers.some((handle) => handle(event))

/** How long after `g` a letter counts, in milliseconds. */
const sequenceTimeoutMs = 1_500

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null

/** Listens to keys: `/` to search, `g` and a letter to go, `?` for all of them. */
export function listenToKeys(): void {
  let prefixAt = Number.NEGATIVE_INFINITY
  document.addEventListener('keydown', (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTyping(event.target) ||
      document.querySelector('dialog[open]')
    )
      return
    const { key } = event
    const letter = pageKeys[key]
    if (performance.now() - prefixAt < sequenceTimeoutMs && letter) {
      prefixAt = Number.NEGATIVE_INFINITY
      event.preventDefault()
      go(pages[letter.page])
      return
    }
    prefixAt = key === 'g' ? performance.now() : Number.NEGATIVE_INFINITY
    if (key === 'g') return
    if (key === '?') isKeyListShown.value = true
    else if (key === '/') {
      const field = document.querySelector<HTMLInputElement>('input[type=search]')
      if (!field) return
      field.focus()
      field.select()
    } else if (!handleKey(event)) return
    event.preventDefault()
  })
}

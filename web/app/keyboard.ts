import { signal } from '@preact/signals'
import { type PageName, pages } from '#contract/pages.ts'
import { go } from './router.ts'

export const isKeyListShown = signal(false)

interface PageKey {
  readonly page: PageName
  readonly name: string
  /** A group of the navigation, which has no room for all pages beside each other. */
  readonly group?: 'Explore' | 'Yours'
}

/** By letter typed after `g`. */
export const pageKeys: Readonly<Record<string, PageKey>> = {
  t: { page: 'today', name: 'Today' },
  h: { page: 'charts', name: 'Charts' },
  m: { page: 'metrics', name: 'Metrics' },
  w: { page: 'workbench', name: 'Workbench' },
  c: { page: 'cohorts', name: 'Cohorts', group: 'Explore' },
  y: { page: 'cycles', name: 'Cycles', group: 'Explore' },
  i: { page: 'mining', name: 'Mining', group: 'Explore' },
  r: { page: 'addresses', name: 'Addresses', group: 'Explore' },
  k: { page: 'markets', name: 'Markets', group: 'Explore' },
  b: { page: 'board', name: 'Board & saved', group: 'Yours' },
  x: { page: 'signals', name: 'Signals', group: 'Explore' },
  q: { page: 'sql', name: 'SQL', group: 'Explore' },
  a: { page: 'alerts', name: 'Alerts', group: 'Yours' },
  s: { page: 'status', name: 'Status' },
  d: { page: 'guides', name: 'Guides' },
}

/** Handlers of mounted components, newest first. */
const handlers: ((event: KeyboardEvent) => boolean)[] = []

/** Returns a function that removes it. */
export function addKeyHandler(handle: (event: KeyboardEvent) => boolean): () => void {
  handlers.unshift(handle)
  return () => void handlers.splice(handlers.indexOf(handle), 1)
}

/** Returns whether a handler accepted the key; newest first. */
export const handleKey = (event: KeyboardEvent): boolean => handlers.some((handle) => handle(event))

const sequenceTimeoutMs = 1_500

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null

/** Handles `/` (search), `g` and a letter (page), `?` (key list) and the keys of components. */
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

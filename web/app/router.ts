import { computed, signal } from '@preact/signals'
import { type PageName, pages } from '#contract/pages.ts'
import { leavePage } from '../data/pacing.ts'

/** Path of the app, with a slash at both ends. */
export const base = new URL(document.baseURI).pathname

/** `path` begins with a slash, without the base. */
interface Route {
  readonly path: string
  readonly query: URLSearchParams
  readonly hash: string
}

const readRoute = (): Route => ({
  path: `/${location.pathname.slice(base.length)}`.replace(/(.)\/+$/, '$1'),
  query: new URLSearchParams(location.search),
  hash: location.hash.slice(1),
})

export const route = signal(readRoute())
addEventListener('popstate', follow)

function follow(): void {
  const next = readRoute()
  if (next.path !== route.peek().path) leavePage()
  route.value = next
}

export interface Match {
  readonly page: PageName
  readonly parameters: Readonly<Record<string, string>>
}

export type PageProps = Pick<Match, 'parameters'>

const patterns = Object.entries(pages).map(([page, template]) => ({
  page: page as PageName,
  pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

export function matchPath(path: string): Match | undefined {
  for (const { page, pattern } of patterns) {
    const found = pattern.exec(path)
    if (!found) continue
    const entries = Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodePart(value)])
    return { page, parameters: Object.fromEntries(entries) }
  }
  return undefined
}

/** Unchanged if its escapes are invalid. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const match = computed(() => matchPath(route.value.path))

/** `path` begins with a slash. */
export const toHref = (path: string): string => base + path.slice(1)

export const pathTo = (page: PageName, parameters: Readonly<Record<string, string>> = {}): string =>
  pages[page].replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))

/** `replace` adds no history entry. */
export function go(path: string, { replace = false } = {}): void {
  const address = toHref(path)
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  const before = route.peek().path
  follow()
  if (route.value.path !== before) scrollTo(0, 0)
}

/** The current path; undefined removes a parameter. */
export function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const { path, query } = route.peek()
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  }
  return next.size > 0 ? `${path}?${next}` : path
}

export const replaceQuery = (changes: Readonly<Record<string, string | undefined>>): void =>
  go(withQuery(changes) + location.hash, { replace: true })

/** Follows links of the app without reloading. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!link || event.defaultPrevented || !isPlain || link.target || link.hasAttribute('download')) return
    const { origin, pathname, search, hash } = new URL(link.href)
    if (origin !== location.origin || !pathname.startsWith(base)) return
    const path = `/${pathname.slice(base.length)}`
    if (!matchPath(path)) return
    event.preventDefault()
    go(path + search + hash)
  })
}

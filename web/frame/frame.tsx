import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type PageName, pages } from '#contract/pages.ts'
import { isKeyListShown, pageKeys } from '../app/keyboard.ts'
import { go, match, pathTo, replaceQuery, route, toHref } from '../app/router.ts'
import { switchTheme, theme } from '../app/theme.ts'
import { access } from '../data/accounts.ts'
import { health } from '../data/freshness.ts'
import { loadSearch } from '../data/search.ts'
import { lazy } from '../parts/lazy.tsx'
import { waitReason } from '../parts/slow-note.tsx'

/** By group; the footer links to the other two. */
const navigation = Map.groupBy(
  Object.values(pageKeys).filter(({ page }) => page !== 'status' && page !== 'guides'),
  ({ group }) => group,
)

interface LinksProps {
  readonly entries: readonly (typeof pageKeys)[string][]
  readonly current: PageName | undefined
}

const Links = ({ entries, current }: LinksProps) => (
  <>
    {entries.map(({ page, name }) => (
      <a key={page} href={toHref(pages[page])} aria-current={page === current ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </>
)

export function Frame({ children }: { readonly children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null)
  const page = match.value?.page
  const current = page === 'metric' ? 'metrics' : page
  // On phones only.
  const [isMenuOpen, setMenuOpen] = useState(false)
  const { path } = route.value
  useEffect(() => setMenuOpen(false), [path])
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href={toHref('/')}>
          <Logo />
          Coinstrata
        </a>
        <SearchField />
        <button type="button" class="plain menu" aria-expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)}>
          Menu
        </button>
        <div class={isMenuOpen ? 'sheet open' : 'sheet'}>
          <nav aria-label="Pages">
            {Array.from(navigation, ([group, entries]) =>
              group === undefined ? (
                <Links key="" entries={entries} current={current} />
              ) : (
                <details key={`${group} ${path}`} name="pages">
                  <summary aria-current={entries.some(({ page: entry }) => entry === current) ? 'true' : undefined}>
                    {group}
                  </summary>
                  <div class="group">
                    <Links entries={entries} current={current} />
                  </div>
                </details>
              ),
            )}
          </nav>
          <div class="tools">
            <button type="button" class="plain" onClick={switchTheme}>
              {theme.value === 'dark' ? 'Light' : 'Dark'}
            </button>
            {access.value?.access === 'tiered' && (
              <a class="plain" href={toHref(pages.account)} aria-current={page === 'account' ? 'page' : undefined}>
                {access.value?.email ? 'Account' : 'Sign in'}
              </a>
            )}
          </div>
        </div>
      </header>
      <Notices />
      <main
        ref={main}
        tabIndex={-1}
        onPointerDown={() => document.querySelector('nav details[open]')?.removeAttribute('open')}
      >
        {children}
      </main>
      <Footer />
      {isKeyListShown.value && <KeyList />}
    </>
  )
}

function Notices() {
  const published = health.value?.published
  const problems = health.value?.problems ?? []
  const reason = waitReason()
  return (
    <section class="notices" aria-label="Notices">
      {published?.simulated && (
        <p>
          <b>Simulated data.</b> Chain and prices are simulated, to show what Coinstrata does. Nothing here is true of
          Bitcoin.
        </p>
      )}
      {problems.some(({ code }) => code === 'update_failed') && (
        <p>The last update failed. You see what was published before it.</p>
      )}
      {problems
        .filter(({ state, code }) => state === 'stale' && !published?.simulated && code === 'tip_old')
        .map(({ code, message }) => (
          <p key={code}>The data is not current: {message}.</p>
        ))}
      <p role="status" hidden={reason === undefined}>
        {reason}
      </p>
    </section>
  )
}

function Footer() {
  const generation = health.value?.generation
  return (
    <footer class="bottom">
      <span>{generation ? `Generation ${generation}` : 'Coinstrata'}</span>
      <a href={toHref(pages.guides)}>Guides</a>
      <a href={toHref(pages.status)}>Status</a>
      <a href={toHref('/docs')}>API</a>
      <a href={toHref('/v1/changelog')}>Changes</a>
    </footer>
  )
}

function Logo() {
  return (
    <svg class="mark" viewBox="0 0 20 16" aria-hidden="true">
      <rect class="one" width="20" height="4" rx="1" />
      <rect class="two" y="6" width="20" height="4" rx="1" />
      <rect class="three" y="12" width="20" height="4" rx="1" />
    </svg>
  )
}

const KeyList = lazy(async () => (await import('./key-list.tsx')).KeyList)

function SearchField() {
  const isThere = match.value?.page === 'metrics'
  const search = (words: string): void => {
    // The best results come first.
    if (isThere) replaceQuery({ q: words || undefined, sort: undefined })
    else go(`${pathTo('metrics')}?${new URLSearchParams({ q: words })}`)
  }
  const press = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }): void => {
    const { key, currentTarget } = event
    const first = document.querySelector<HTMLElement>('.results a') ?? document.querySelector<HTMLElement>('.found a')
    if (key === 'Escape') currentTarget.blur()
    else if (key === 'ArrowDown' && first) first.focus()
    else if (key === 'Enter' && first && currentTarget.value !== '') {
      first.click()
      currentTarget.blur()
    } else return
    event.preventDefault()
  }
  return (
    <search>
      <label class="hidden" for="search">
        Search metrics
      </label>
      <input
        id="search"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder="Search metrics, charts and guides"
        value={isThere ? (route.value.query.get('q') ?? '') : ''}
        onFocus={() => void Promise.all([import('../pages/metrics/metrics.tsx'), loadSearch()]).catch(() => undefined)}
        onInput={({ currentTarget }) => search(currentTarget.value)}
        onKeyDown={press}
      />
      {!isThere && <kbd>/</kbd>}
    </search>
  )
}

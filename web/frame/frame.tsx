import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { type PageName, pages } from '#contract/pages.ts'
import { match, toHref } from '../app/router.ts'
import { switchTheme, theme } from '../app/theme.ts'
import { access } from '../data/accounts.ts'
import { health, isUnreachable } from '../data/freshness.ts'
import { KeyList } from './key-list.tsx'
import { SearchField } from './search-field.tsx'

const navigation: readonly (readonly [page: PageName, name: string])[] = [
  ['today', 'Today'],
  ['metrics', 'Metrics'],
  ['workbench', 'Workbench'],
  ['cohorts', 'Cohorts'],
  ['cycles', 'Cycles'],
  ['mining', 'Mining'],
  ['markets', 'Markets'],
  ['board', 'Board'],
]

export function Frame({ children }: { readonly children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null)
  const page = match.value?.page
  const current = page === 'metric' ? 'metrics' : page
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
        <nav aria-label="Pages">
          {navigation.map(([entry, name]) => (
            <a key={entry} href={toHref(pages[entry])} aria-current={entry === current ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <div class="tools">
          <SearchField />
          <button type="button" class="plain" onClick={switchTheme}>
            {theme.value === 'dark' ? 'Light' : 'Dark'}
          </button>
          {access.value?.access === 'tiered' && (
            <a class="plain" href={toHref(pages.account)} aria-current={page === 'account' ? 'page' : undefined}>
              {access.value?.email ? 'Account' : 'Sign in'}
            </a>
          )}
        </div>
      </header>
      <Notices />
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <KeyList />
    </>
  )
}

/** Warns on every page if the data is simulated or stale, or the service is unreachable. */
function Notices() {
  const published = health.value?.published
  const problems = health.value?.problems ?? []
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
      <p role="status" hidden={!isUnreachable.value}>
        {isUnreachable.value &&
          'The service does not answer. You see the last data that arrived; the page keeps trying.'}
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

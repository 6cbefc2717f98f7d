import { route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { Etfs } from './etfs.tsx'
import { Futures } from './futures.tsx'
import { Treasuries } from './treasuries.tsx'

const tabs = [
  {
    id: 'etfs',
    name: 'ETFs',
    Tab: Etfs,
    lead: 'Exchange-traded funds that hold bitcoin for their owners. An inflow means that somebody bought newly created shares.',
  },
  {
    id: 'treasuries',
    name: 'Treasuries',
    Tab: Treasuries,
    lead: 'Companies, states and others that report the bitcoin they hold. Holdings stay as reported until the next report.',
  },
  {
    id: 'futures',
    name: 'Futures',
    Tab: Futures,
    lead: 'Perpetual futures. When the funding rate is positive, traders who bet on rising prices pay those who bet on falling prices.',
  },
] as const

/** The tab is in the address as `of`. */
export function Markets() {
  const requested = route.value.query.get('of')
  const tab = tabs.find(({ id }) => id === requested) ?? tabs[0]
  useTitle(tab.name)
  return (
    <>
      <h1>Markets</h1>
      <nav class="tabs" aria-label="Markets">
        {tabs.map(({ id, name }) => (
          <a key={id} href={toHref(`/markets?of=${id}`)} aria-current={id === tab.id ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <p class="lead">{tab.lead}</p>
      <tab.Tab key={tab.id} />
    </>
  )
}

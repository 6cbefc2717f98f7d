import type { PageName } from '#contract/pages.ts'
import { requestPath } from '../data/client.ts'
import { historiesPath } from '../data/columns.ts'
import { firstChart } from './today/first-chart.ts'

/** Of all pages: the names and units of all metrics. */
const index = requestPath('metrics/index', {})
const halvings = requestPath('cycle-boundaries', { family: 'halving', limit: 100 })
const prices = historiesPath(['price'])

/** What the first chart of a page needs whatever its address says, and what it needs where that says nothing but the view. */
interface Early {
  readonly always: readonly string[]
  readonly plain: readonly string[]
}

/**
 * Requests of pages that the document itself begins, before any script of it runs: below the address of the app, with
 * `{id}` for that part of the page's own. They must be the very ones that the page makes.
 */
export function preloadRequests(page: PageName): Early {
  switch (page) {
    case 'today':
      return { always: [historiesPath(firstChart.metrics), index, halvings], plain: [] }
    case 'metric':
      return {
        always: [
          requestPath('metrics/{metric_id}', { metric_id: '{id}', fields: 'all' }),
          historiesPath(['{id}']),
          prices,
          index,
        ],
        plain: [],
      }
    case 'workbench':
      return { always: [index], plain: [prices] }
    default:
      return { always: [index], plain: [] }
  }
}

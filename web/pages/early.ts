import type { PageName } from '#contract/pages.ts'
import { addressOfRequest } from '../data/client.ts'
import { addressOfHistories } from '../data/columns.ts'
import { costs } from './today/costs.ts'

/** Of all pages: the names and units of all metrics. */
const index = addressOfRequest('metrics/index', {})
const halvings = addressOfRequest('cycle-boundaries', { family: 'halving', limit: 100 })
const prices = addressOfHistories(['price'])

/** What the first chart of a page needs whatever its address says, and what it needs where that says nothing but the view. */
interface Early {
  readonly always: readonly string[]
  readonly usual: readonly string[]
}

/**
 * Requests of pages that the document itself begins, before any script of it runs: below the address of the app, with
 * `{id}` for that part of the page's own. They must be the very ones that the page makes.
 */
export function earlyRequests(page: PageName): Early {
  switch (page) {
    case 'today':
      return { always: [addressOfHistories(costs.metrics), index, halvings], usual: [] }
    case 'metric':
      return {
        always: [
          addressOfRequest('metrics/{metric_id}', { metric_id: '{id}', fields: 'all' }),
          addressOfHistories(['{id}']),
          prices,
          index,
        ],
        usual: [],
      }
    case 'workbench':
      return { always: [index], usual: [prices] }
    default:
      return { always: [index], usual: [] }
  }
}

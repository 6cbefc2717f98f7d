import type { PageName, PagePreloads } from '#contract/pages.ts'
import { requestPath } from '../data/client.ts'
import { historiesPath } from '../data/columns.ts'
import { firstChart } from './today/first-chart.ts'

const index = requestPath('metrics/index', {})
const halvings = requestPath('cycle-boundaries', { family: 'halving', limit: 100, fields: 'all' })
const prices = historiesPath(['price'])

/**
 * Requests of the first chart: `always`, or if the address has at most view parameters (`plain`).
 */
type PageRequests = Omit<PagePreloads, 'scripts'>

const pageRequests: Readonly<Partial<Record<PageName, Partial<PageRequests>>>> = {
  today: { always: [historiesPath(firstChart.metrics), index, halvings] },
  metric: {
    always: [
      requestPath('metrics/{metric_id}', { metric_id: '{id}', fields: 'all' }),
      historiesPath(['{id}']),
      prices,
      index,
    ],
  },
  workbench: { plain: [historiesPath(['price', 'realized_price'])] },
}

/**
 * Requests that the page's document preloads, relative to the app, with `{id}` for a part of the
 * page's address. They must equal the page's own requests, or they are sent twice.
 */
export const preloadRequests = (page: PageName): PageRequests => ({ always: [index], plain: [], ...pageRequests[page] })

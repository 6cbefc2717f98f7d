import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import {
  activeOnly,
  datedListQuery,
  listQuery,
  metricId,
  metricIds,
  period,
  recordQuery,
  search,
  variants,
  withCohorts,
} from '../parameters.ts'
import { optionalDefinitionFields, percentileDetails, rows } from '../rows.ts'

export const definitionsEndpoints = {
  metrics: endpoint({
    id: 'metrics',
    tag: 'Definitions',
    summary: 'Measures with their cohorts and definitions, every metric, or those that fit a search',
    description:
      'With q: the 50 metrics that fit best, best first; if you search for something that is not tracked, meta.note says why. An id is that of the measure with lth_, sth_, lth_smooth_ or sth_smooth_ before it, or with any other cohort after it: lth_mvrv, mvrv_1y_2y (and lth_supply of circulating_supply).',
    access: 'anyone',
    query: listQuery({ variants, active_only: activeOnly, q: search }),
    row: rows.definition,
    more: optionalDefinitionFields,
    key: ['id'],
  }),
  metricCategories: endpoint({
    id: 'metrics/categories',
    tag: 'Definitions',
    summary: 'Categories with their metrics',
    access: 'anyone',
    query: listQuery({ variants, active_only: activeOnly }),
    row: rows.category,
    key: ['name'],
  }),
  latest: endpoint({
    id: 'metrics/latest',
    tag: 'Definitions',
    summary: 'Newest value of every metric, one item per category',
    description:
      'The newest day of each category with any value within start_date and end_date; null where there is none. limit counts categories.',
    query: datedListQuery.extend({ cohorts: withCohorts }),
    row: rows.latest,
    key: ['category', 'date'],
  }),
  metricIndex: endpoint({
    id: 'metrics/index',
    tag: 'Definitions',
    summary: 'Compact index of all metrics, for searching and drawing: one entry for the same metric of many cohorts',
    access: 'anyone',
    query: listQuery({}),
    row: rows.metricIndex,
    key: ['id'],
  }),
  percentiles: endpoint({
    id: 'metrics/percentiles',
    tag: 'Definitions',
    summary: 'Newest value of each metric with its percentile in the history of the metric, and both a week before',
    description:
      'A percentile is the share of all days of the metric, in percent, on which its value was lower, and half of those on which it was the same, for every tier; history_from is the first of them. Without metrics all but the measures of single cohorts, exchanges, funds and entities. fields=all adds the change over period: of a level between two days, of flows and rates between the mean of the period and of the one before. Its percentile is the share of all such changes that are smaller and half of the equal ones; a metric that nearly always rises or falls has none.',
    history: {
      computedFromAll: 'a rank among sixty days would be mistaken for one among all, and reveals no old value',
    },
    undated: 'the rows are of the newest day of each metric',
    query: listQuery({ metrics: metricIds.optional(), period }),
    row: rows.percentiles,
    more: percentileDetails,
    key: ['id', 'date'],
  }),
  metric: endpoint({
    id: 'metrics/{metric_id}',
    tag: 'Definitions',
    summary: 'Definition of one metric',
    access: 'anyone',
    pathParameters: z.object({ metric_id: metricId }),
    query: recordQuery,
    row: rows.definition.omit({ cohorts: true }),
    more: optionalDefinitionFields,
    key: ['id'],
  }),
} as const

import { invalidParameter } from '#contract/api-error.ts'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import { addressEstimatesAnswer, addressLabelsAnswer } from '#query/answers/addresses.ts'
import { blocksAnswer, poolsAnswer } from '#query/answers/blocks.ts'
import { costBasisAnswer } from '#query/answers/cost-basis.ts'
import { cyclePerformanceAnswer } from '#query/answers/cycles.ts'
import { blockchainMetricAnswer, cohortAnswer, endpointAnswer } from '#query/answers/daily.ts'
import { categoriesAnswer, definitionAnswer, metricIndexAnswer, metricsListAnswer } from '#query/answers/definitions.ts'
import { fund, fundingOfExchange, keyedAnswer, openInterestOfExchange } from '#query/answers/keyed.ts'
import { latestAnswer } from '#query/answers/latest.ts'
import {
  cycleBoundariesAnswer,
  entitiesAnswer,
  exchangesAnswer,
  fundsAnswer,
  tablesAnswer,
} from '#query/answers/lists.ts'
import { percentilesAnswer } from '#query/answers/percentiles.ts'
import { proofAnswer } from '#query/answers/proof.ts'
import { revisionsAnswer } from '#query/answers/revisions.ts'
import { seriesAnswer } from '#query/answers/series.ts'
import { todayAnswer } from '#query/answers/today.ts'
import { entity, reportsOfEntity, treasuryStatsAnswer } from '#query/answers/treasuries.ts'
import { utxoHistoryAnswer } from '#query/answers/utxo-history.ts'
import { type Route, route } from './http/route.ts'

/** Express tries them in this order. */
export const routes: Readonly<Record<EndpointName, Route>> = {
  today: route(endpoints.today, todayAnswer),
  prices: route(endpoints.prices, endpointAnswer(endpoints.prices)),
  holderSupply: route(endpoints.holderSupply, endpointAnswer(endpoints.holderSupply)),
  holderValuation: route(endpoints.holderValuation, endpointAnswer(endpoints.holderValuation)),
  holderProfit: route(endpoints.holderProfit, endpointAnswer(endpoints.holderProfit)),
  cohortMetrics: route(endpoints.cohortMetrics, cohortAnswer),
  utxoHistory: route(endpoints.utxoHistory, utxoHistoryAnswer),
  coindays: route(endpoints.coindays, endpointAnswer(endpoints.coindays)),
  blockchain: route(endpoints.blockchain, endpointAnswer(endpoints.blockchain)),
  addresses: route(endpoints.addresses, endpointAnswer(endpoints.addresses)),
  addressEstimates: route(endpoints.addressEstimates, addressEstimatesAnswer),
  addressLabels: route(endpoints.addressLabels, addressLabelsAnswer),
  blockchainMetric: route(endpoints.blockchainMetric, blockchainMetricAnswer),
  blocks: route(endpoints.blocks, blocksAnswer),
  pools: route(endpoints.pools, poolsAnswer),
  cyclePerformance: route(endpoints.cyclePerformance, cyclePerformanceAnswer),
  cycleBoundaries: route(endpoints.cycleBoundaries, cycleBoundariesAnswer),
  etfAggregate: route(endpoints.etfAggregate, endpointAnswer(endpoints.etfAggregate)),
  etfRegistry: route(endpoints.etfRegistry, fundsAnswer),
  etfTicker: route(endpoints.etfTicker, keyedAnswer(fund, 'ticker')),
  futuresOi: route(endpoints.futuresOi, endpointAnswer(endpoints.futuresOi)),
  fundingAggregate: route(endpoints.fundingAggregate, endpointAnswer(endpoints.fundingAggregate)),
  fundingExchange: route(endpoints.fundingExchange, keyedAnswer(fundingOfExchange, 'exchange')),
  fundingExchanges: route(endpoints.fundingExchanges, exchangesAnswer('funding')),
  oiExchange: route(endpoints.oiExchange, keyedAnswer(openInterestOfExchange, 'exchange')),
  oiExchanges: route(endpoints.oiExchanges, exchangesAnswer('open_interest')),
  datAggregate: route(endpoints.datAggregate, endpointAnswer(endpoints.datAggregate)),
  datRegistry: route(endpoints.datRegistry, entitiesAnswer),
  datEntity: route(endpoints.datEntity, keyedAnswer(entity, 'id')),
  datHoldings: route(endpoints.datHoldings, keyedAnswer(reportsOfEntity, 'id')),
  datStats: route(endpoints.datStats, treasuryStatsAnswer),
  metrics: route(endpoints.metrics, metricsListAnswer),
  metricCategories: route(endpoints.metricCategories, categoriesAnswer),
  latest: route(endpoints.latest, latestAnswer),
  metricIndex: route(endpoints.metricIndex, metricIndexAnswer),
  percentiles: route(endpoints.percentiles, percentilesAnswer),
  metric: route(endpoints.metric, definitionAnswer),
  series: route(endpoints.series, seriesAnswer),
  revisions: route(endpoints.revisions, revisionsAnswer),
  tables: route(endpoints.tables, tablesAnswer),
  proof: route(endpoints.proof, proofAnswer),
  costBasis: route(endpoints.costBasis, costBasisAnswer),
}

/** Throws `invalid_parameter` unless it is a request for data, without its format. */
export function checkDataRequest(target: string): void {
  const [path = ''] = target.split('?')
  const match = ({ endpoint }: Route) =>
    new RegExp(`^${endpoint.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path)
  const route = Object.values(routes).find(match)
  if (!route) throw invalidParameter('request', 'is no path of data: /docs lists them', path)
  if (route.parse({ ...match(route)?.groups }, target).format === undefined) return
  throw invalidParameter('request', 'must not name a format: the ending of the address does')
}

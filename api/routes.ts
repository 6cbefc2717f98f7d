import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import { costBasisAnswer } from './answers/cost-basis.ts'
import { cycleBoundariesAnswer, cyclePerformanceAnswer } from './answers/cycles.ts'
import { blockchainMetricAnswer, cohortAnswer, endpointAnswer } from './answers/daily.ts'
import { categoriesAnswer, definitionAnswer, metricsListAnswer } from './answers/definitions.ts'
import { exchangesAnswer, fundingOfExchange, openInterestOfExchange } from './answers/derivatives.ts'
import { fund, fundsAnswer } from './answers/etfs.ts'
import { keyedAnswer } from './answers/keyed.ts'
import { latestAnswer } from './answers/latest.ts'
import { seriesAnswer } from './answers/series.ts'
import { entitiesAnswer, entity, reportsOfEntity, treasuryStatsAnswer } from './answers/treasuries.ts'
import { utxoHistoryAnswer } from './answers/utxo-history.ts'

import { type Route, route } from './route.ts'

/** Every data endpoint with what answers it, by name. */
export const routes: Readonly<Record<EndpointName, Route>> = {
  prices: route(endpoints.prices, endpointAnswer(endpoints.prices.id)),
  holderSupply: route(endpoints.holderSupply, endpointAnswer(endpoints.holderSupply.id)),
  holderValuation: route(endpoints.holderValuation, endpointAnswer(endpoints.holderValuation.id)),
  holderProfit: route(endpoints.holderProfit, endpointAnswer(endpoints.holderProfit.id)),
  cohortMetrics: route(endpoints.cohortMetrics, cohortAnswer),
  utxoHistory: route(endpoints.utxoHistory, utxoHistoryAnswer),
  coindays: route(endpoints.coindays, endpointAnswer(endpoints.coindays.id)),
  blockchain: route(endpoints.blockchain, endpointAnswer(endpoints.blockchain.id)),
  blockchainMetric: route(endpoints.blockchainMetric, blockchainMetricAnswer),
  cyclePerformance: route(endpoints.cyclePerformance, cyclePerformanceAnswer),
  cycleBoundaries: route(endpoints.cycleBoundaries, (published, _, { family, limit }) =>
    cycleBoundariesAnswer(published, family, limit),
  ),
  etfAggregate: route(endpoints.etfAggregate, endpointAnswer(endpoints.etfAggregate.id)),
  etfRegistry: route(endpoints.etfRegistry, (published, _, { limit }) => fundsAnswer(published, limit)),
  etfTicker: route(endpoints.etfTicker, (published, tier, parameters) =>
    keyedAnswer(published, tier, parameters, fund, parameters.ticker),
  ),
  futuresOi: route(endpoints.futuresOi, endpointAnswer(endpoints.futuresOi.id)),
  fundingAggregate: route(endpoints.fundingAggregate, endpointAnswer(endpoints.fundingAggregate.id)),
  fundingExchange: route(endpoints.fundingExchange, (published, tier, parameters) =>
    keyedAnswer(published, tier, parameters, fundingOfExchange, parameters.exchange),
  ),
  fundingExchanges: route(endpoints.fundingExchanges, (published, _, { limit }) =>
    exchangesAnswer(published, 'funding', limit),
  ),
  oiExchange: route(endpoints.oiExchange, (published, tier, parameters) =>
    keyedAnswer(published, tier, parameters, openInterestOfExchange, parameters.exchange),
  ),
  oiExchanges: route(endpoints.oiExchanges, (published, _, { limit }) =>
    exchangesAnswer(published, 'open_interest', limit),
  ),
  datAggregate: route(endpoints.datAggregate, endpointAnswer(endpoints.datAggregate.id)),
  datRegistry: route(endpoints.datRegistry, (published, _, { limit }) => entitiesAnswer(published, limit)),
  datEntity: route(endpoints.datEntity, (published, tier, parameters) =>
    keyedAnswer(published, tier, parameters, entity, parameters.id),
  ),
  datHoldings: route(endpoints.datHoldings, (published, tier, parameters) =>
    keyedAnswer(published, tier, parameters, reportsOfEntity, parameters.id),
  ),
  datStats: route(endpoints.datStats, (published, tier, { limit }) => treasuryStatsAnswer(published, tier, limit)),
  metrics: route(endpoints.metrics, (published, _, parameters) => metricsListAnswer(published, parameters)),
  metricCategories: route(endpoints.metricCategories, (published, _, parameters) =>
    categoriesAnswer(published, parameters),
  ),
  latest: route(endpoints.latest, (published, tier, { limit }) => latestAnswer(published, tier, limit)),
  metric: route(endpoints.metric, (published, _, { metric_id }) => definitionAnswer(published, metric_id)),
  series: route(endpoints.series, seriesAnswer),
  costBasis: route(endpoints.costBasis, costBasisAnswer),
}

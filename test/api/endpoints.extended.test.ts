import { serveChain } from './support/chain-service.ts'
import { isWide, requests, testAnswers } from './support/endpoint-answers.ts'
import { testPublishedValues } from './support/published-values.ts'

serveChain()
testPublishedValues((place) => place % 5 !== 0, { metrics: 800, values: 16_000 })
testAnswers('demo')
testAnswers('pro')
testAnswers('enterprise', requests.filter(isWide))

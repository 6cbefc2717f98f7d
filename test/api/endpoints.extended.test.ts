import { serveChain } from './support/chain-service.ts'
import { isWide, requests, testAnswers } from './support/endpoint-answers.ts'

serveChain()
testAnswers('demo')
testAnswers('pro')
testAnswers('enterprise', requests.filter(isWide))

import { serveChain } from './support/chain-service.ts'
import { testAnswers } from './support/endpoint-answers.ts'

serveChain()
testAnswers('demo')
testAnswers('pro')

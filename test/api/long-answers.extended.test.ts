import { testLongAnswers } from './support/long-answers.ts'

testLongAnswers(['identity', 'br', 'zstd'])

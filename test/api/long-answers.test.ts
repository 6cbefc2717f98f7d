import { testLongAnswers } from './support/long-answers.ts'

testLongAnswers(['gzip'])

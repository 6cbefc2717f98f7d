import { test } from 'vitest'
import { serveChain } from './support/chain-service.ts'
import { answeredTemplates, expectTemplate } from './support/template-answers.ts'

serveChain()

test.each(answeredTemplates.filter((_, i) => i % 4 !== 0))('template %s', expectTemplate)

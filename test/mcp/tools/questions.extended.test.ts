import { afterAll, beforeAll, expect, test } from 'vitest'
import { listedTools } from '#mcp/tools/all.ts'
import { type Assistant, http } from '../support/clients.ts'
import { key, serveDemo, service } from '../support/demo-service.ts'
import { countTokens } from '../support/tokens.ts'
import { testChanges } from '../support/what-changed.ts'
import { typicalCalls } from './typical-calls.ts'

serveDemo()
let assistant: Assistant
beforeAll(async () => {
  assistant = await http.connect(service, key)
})
afterAll(() => assistant?.close())

testChanges(['week', 'month'], () => assistant)

test('a typical answer of every tool is short, and none is long', async () => {
  const called = new Set(typicalCalls.map(([tool]) => tool))
  expect(listedTools.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([])
  const lengths: [call: string, tokens: number][] = []
  for (const [tool, given] of typicalCalls) {
    const call = `${tool} ${JSON.stringify(given)}`
    const { isError, content } = await assistant.call(tool, given)
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    expect(isError, `${call}: ${text}`).not.toBe(true)
    lengths.push([call, countTokens(text)])
  }
  const tokens = lengths.map(([, count]) => count).sort((one, other) => one - other)
  expect(tokens[Math.floor(tokens.length / 2)], JSON.stringify(lengths, undefined, 1)).toBeLessThanOrEqual(250)
  expect(lengths.filter(([, count]) => count > 1_500)).toEqual([])
})

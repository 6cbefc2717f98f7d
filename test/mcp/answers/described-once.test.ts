import { expect, test } from 'vitest'
import { z } from 'zod'
import { describedOnce } from '#mcp/answers/described-once.ts'

test('a schema is described once for each direction, as without it, and validates as before', async () => {
  const schema = z.strictObject({ days: z.number().default(30) })
  const standard = describedOnce(schema)['~standard']
  const target = 'draft-2020-12'
  const { input, output } = standard.jsonSchema
  expect(input({ target })).toEqual(z.toJSONSchema(schema, { target, io: 'input' }))
  expect(output({ target })).toEqual(z.toJSONSchema(schema, { target, io: 'output' }))
  expect(input({ target })).not.toEqual(output({ target }))
  expect(input({ target })).toBe(input({ target }))
  expect(output({ target })).toBe(output({ target }))
  expect(await standard.validate({})).toEqual({ value: { days: 30 } })
  expect(await standard.validate({ day: 1 })).toMatchObject({ issues: [{ message: expect.stringContaining('day') }] })
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { briefInput } from '#mcp/answers/brief-schema.ts'

const input = z.strictObject({
  days: z.int().min(1).max(9).default(3).describe('So many'),
  rows: z.union([z.int().min(1), z.enum(['none', 'all'])]).optional(),
  ids: z.array(z.string().max(5).describe('An id')).min(1),
  axes: z.array(z.strictObject({ id: z.string().describe('Its name'), side: z.enum(['left', 'right']) })).optional(),
  metrics: z.array(z.union([z.string(), z.strictObject({ id: z.string() })])).optional(),
})

test('names, types and words are listed; limits and what stands deep inside are left out', () => {
  expect(briefInput(input)).toEqual({
    type: 'object',
    required: ['ids'],
    properties: {
      days: { type: 'integer', description: 'So many. Default: 3' },
      rows: { anyOf: [{ type: 'integer' }, { type: 'string', enum: ['none', 'all'] }] },
      ids: { type: 'array', items: { type: 'string' } },
      axes: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, side: { type: 'string', enum: ['left', 'right'] } },
          required: ['id', 'side'],
        },
      },
      metrics: {
        type: 'array',
        items: {
          anyOf: [{ type: 'string' }, { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }],
        },
      },
    },
  })
})

test('descriptions that are given take the place of all', () => {
  expect(briefInput(input, { rows: 'How many' }).properties).toMatchObject({
    days: { type: 'integer' },
    rows: { description: 'How many' },
  })
  expect(JSON.stringify(briefInput(input, {}))).not.toContain('So many')
})

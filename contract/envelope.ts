import { z } from 'zod'
import { aggregates } from './metric-kinds.ts'
import { proofSchema } from './proof.ts'

export const isoDate = z.iso.date()
export const value = z.number().nullable()

export const metaSchema = z
  .strictObject({
    generation: z.string().meta({ description: 'Published generation that all rows come from' }),
    as_of_source: z.literal('first_published').optional().meta({
      description:
        'Present if the generation of as_of is no longer kept: each value is the one that was published first. generation is the newest that had published by then',
    }),
    compared_with: z
      .string()
      .optional()
      .meta({ description: 'The earlier generation that the values are compared with' }),
    simulated: z.literal(true).optional().meta({ description: 'Present if chain and prices are simulated' }),
    attribution: z.string().optional().meta({ description: 'Attribution that sources of market data require' }),
    aggregate: z.enum(aggregates).optional().meta({
      description: 'How the days of each week, month or year became one value, if the request chose it',
    }),
    history_limited_to: isoDate.optional().meta({
      description:
        "The request or its formula reached further back than the caller's history, which begins on this date",
    }),
    withheld: z.array(z.string()).optional().meta({ description: 'Fields whose grade is above that of the caller' }),
    withheld_more: z
      .int()
      .optional()
      .meta({ description: 'In X-Coinstrata-Meta, which is short: how many more fields are withheld' }),
    withheld_tier: z.enum(['pro', 'enterprise']).optional().meta({ description: 'Tier that sees all withheld fields' }),
    next_cursor: z
      .string()
      .optional()
      .meta({ description: 'There are more rows: the parameter cursor that returns them' }),
    next_offset: z
      .int()
      .optional()
      .meta({ description: 'There are more rows: the parameter offset that returns them' }),
    available_from: z.iso.datetime().optional().meta({
      description:
        'The request reached further back than the rows that are kept after blocks, which begin at this time',
    }),
    proof: proofSchema.optional(),
    note: z.string().optional().meta({ description: 'Why there are no rows, or not the ones that were searched for' }),
  })
  .meta({ id: 'Meta' })

export type Meta = z.infer<typeof metaSchema>

export const successSchema = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({
    success: z.literal(true),
    data: z.array(row),
    count: z.int().meta({ description: 'Number of rows' }),
    meta: metaSchema,
    timestamp: z.iso.datetime().meta({ description: 'Time of the answer' }),
  })

export const failureSchema = z
  .strictObject({
    success: z.literal(false),
    error: z.strictObject({
      code: z.string().regex(/^[a-z_]+$/),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
    message: z.string().meta({ description: 'Same as error.message' }),
    retry_after: z.int().min(0).optional().meta({ description: 'With 429 and most 503: seconds to wait' }),
    timestamp: z.iso.datetime(),
  })
  .meta({ id: 'Failure', description: 'Body of every error, for every Accept header' })

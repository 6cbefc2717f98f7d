import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'

/** A schema whose JSON Schema is made once, since making it takes far longer than all else of listing a tool. */
export function describedOnce(schema: z.ZodObject): StandardSchemaWithJSON {
  const { jsonSchema, ...standard } = schema['~standard']
  return {
    '~standard': { ...standard, jsonSchema: { input: once(jsonSchema.input), output: once(jsonSchema.output) } },
  }
}

/** All callers ask for the same dialect. */
function once<Options, Description>(describe: (options: Options) => Description): (options: Options) => Description {
  let known: Description | undefined
  return (options) => {
    known ??= describe(options)
    return known
  }
}

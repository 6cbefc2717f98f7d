import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { openApiDocument } from '#api/openapi/document.ts'
import { endpoints } from '#contract/endpoints.ts'
import { version } from '#root/version.ts'

/** A JSON Schema as far as the OpenAPI document uses it. */
interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
}
interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: Schema
}
interface Document {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly summary: string; readonly parameters?: Parameter[] } }>
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const file = new URL('../clients/typescript/endpoints.ts', import.meta.url)

/** The types of the TypeScript client: parameters and rows of every data endpoint, from the OpenAPI document. */
export function clientTypes(): string {
  const { paths, components } = JSON.parse(
    JSON.stringify(openApiDocument({ version, publicUrl: undefined, basePath: '' })),
  ) as Document
  const members = Object.entries(endpoints).map(([name, { path, row, more }]) => {
    const { summary, parameters = [] } = paths[path]!.get!
    const schema = components.schemas[`${name[0]!.toUpperCase()}${name.slice(1)}Row`]!
    const always = ({ shape }: z.ZodObject): string[] =>
      Object.entries(shape)
        // A default stands in answers.
        .filter(([, type]) => z.safeParse(type, undefined).data !== undefined || !z.safeParse(type, undefined).success)
        .map(([field]) => field)
    const others = typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties) : 'never'
    return [
      `  /** ${summary}. */`,
      `  '${path}': {`,
      `    parameters: ${objectOf(parameters.filter((one) => one.in !== 'header').map(({ name, required, schema }) => ({ name, required, schema })))}`,
      `    row: ${typeOf({ ...schema, additionalProperties: false })}`,
      `    key: ${unionOf(schema.required ?? [])}`,
      `    usual: ${unionOf(always(row))}`,
      `    full: ${unionOf(always(more))}`,
      `    others: ${others}`,
      '  }',
    ].join('\n')
  })
  return `// Made of the OpenAPI document by docs/write-client.ts: do not edit.

/** What an answer says about itself. */
export interface Meta ${typeOf(components.schemas.Meta!)}

/** Every error. */
export interface Failure ${typeOf(components.schemas.Failure!)}

/**
 * Data endpoints by path: parameters; the fields of rows; those that are in every row (\`key\`); those that are in every row
 * without the parameter \`fields\` (\`usual\`; others only where the caller's tier sees them); those that are there besides with
 * \`fields=all\` (\`full\`); and the type of fields that are named by the request or the catalogue.
 */
export interface Endpoints {
${members.join('\n')}
}
`
}

const unionOf = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' | ') || 'never'

function objectOf(fields: readonly { name: string; required?: boolean | undefined; schema: Schema }[]): string {
  const lines = fields.map(({ name, required, schema }) => {
    const description = schema.description === undefined ? '' : `/** ${schema.description} */ `
    return `${description}${/^\w+$/.test(name) ? name : `'${name}'`}${required ? '' : '?'}: ${typeOf(schema)}`
  })
  return lines.length === 0 ? '{}' : `{\n${lines.map((line) => `      ${line}`).join('\n')}\n    }`
}

/** A schema as TypeScript writes it; what the document does not use is a defect. */
function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'")
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one).replaceAll('"', "'")).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map(typeOf))].join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'object':
      if (schema.properties === undefined) return 'Record<string, unknown>'
      return objectOf(
        Object.entries(schema.properties).map(([name, one]) => ({
          name,
          required: schema.required?.includes(name),
          schema: one,
        })),
      )
    case 'array':
      return `readonly (${typeOf(schema.items ?? {})})[]`
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      throw new Error(`no TypeScript is known for ${JSON.stringify(schema)}`)
  }
}

if (import.meta.main) writeFileSync(file, clientTypes())

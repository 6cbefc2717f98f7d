import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { openApiDocument } from '#api/openapi/document.ts'
import { version } from '#base/version.ts'
import { ageBands } from '#contract/cohorts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import {
  dailyQuery,
  datedListQuery,
  listQuery,
  liveQuery,
  orderedQuery,
  pagedQuery,
  rangeQuery,
  recordQuery,
} from '#contract/parameters.ts'
import { servedCohorts } from '#contract/served-cohorts.ts'
import { catalogue } from './metrics/metric-kinds.ts'

/** The parts of JSON Schema that the OpenAPI document uses. */
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

/** Common parameters, each extending the last one before whose parameters it has. */
const commonParameters = {
  LiveParameters: ['independent of the generation', liveQuery],
  GenerationParameters: ['of data of one generation', recordQuery],
  ListParameters: ['of lists', listQuery({})],
  RangeParameters: ['of rows with dates', rangeQuery({})],
  DatedListParameters: ['of lists whose rows have dates', datedListQuery],
  OrderedParameters: ['of dated rows in a chosen order', orderedQuery({})],
  PagedParameters: ['of dated rows in pages', pagedQuery({})],
  DailyParameters: ['of daily rows, which can be aggregated to weeks or months', dailyQuery({})],
} as const satisfies Record<string, readonly [string, z.ZodObject]>

/** Long enumerations that get a name. */
const namedTypes: Readonly<Record<string, readonly string[]>> = {
  AgeBand: ageBands.map(({ id }) => id),
  Cohort: servedCohorts,
}

const file = new URL('../clients/typescript/endpoints.ts', import.meta.url)

/** The TypeScript client's types of parameters and rows of every data endpoint. */
export function clientTypes(): string {
  const { paths, components } = JSON.parse(
    JSON.stringify(openApiDocument({ version, publicUrl: undefined, basePath: '' })),
  ) as Document
  const declared: readonly [string, Endpoint][] = Object.entries(endpoints)
  const fieldsByPath = new Map(
    declared.map(([, { path }]) => {
      const parameters = paths[path]!.get!.parameters ?? []
      return [path, parameters.filter((one) => one.in !== 'header').map(toField)] as const
    }),
  )
  const commonTypes = createCommonInterfaces([...fieldsByPath.values()])
  const members = declared.map(([name, { path, row, more, key }]) => {
    const { summary } = paths[path]!.get!
    const [, first] = declared.find(([, one]) => one.row === row && one.more === more && one.key.join() === key.join())!
    if (first.path !== path) {
      const parameters = parametersType(fieldsByPath.get(path)!, commonTypes)
      return `/** ${summary}. */\n'${path}': Omit<Endpoints['${first.path}'], 'parameters'> & { parameters: ${parameters} }`
    }
    const schema = components.schemas[`${name[0]!.toUpperCase()}${name.slice(1)}Row`]!
    return `/** ${summary}. */\n'${path}': ${endpointType(fieldsByPath.get(path)!, commonTypes, schema, row, more)}`
  })
  return `// Generated from the OpenAPI document by docs/write-client.ts: do not edit.

/** Metadata of an answer. */
export interface Meta ${toTypeScript(components.schemas.Meta!)}

/** Body of every error. */
export interface Failure ${toTypeScript(components.schemas.Failure!)}

${Object.entries(namedTypes)
  .map(([name, words]) => `export type ${name} = ${toNamedUnion(name, words)}`)
  .join('\n')}

${commonTypes.map(({ text }) => text).join('\n\n')}

/** Daily columns, which requests name. All rows have the date, and without the parameter \`fields\` also \`Default\`. */
export interface Series<Default extends string = never> {
  parameters: DailyParameters
  row: ${toBlock([seriesDate])}
  key: 'date'
  default: 'date' | Default
  full: never
  others: number | null
}

/** Rows with all fields; those of \`Full\` only with \`fields=all\`. */
export interface Table<Parameters, Row, Key extends keyof Row, Full extends keyof Row = never> {
  parameters: Parameters
  row: Row
  key: Key
  default: Exclude<keyof Row, Full>
  full: Full
  others: never
}

/**
 * Data endpoints by path: parameters and fields of rows. Every row has the fields \`key\`, without the parameter \`fields\`
 * also \`default\`, and with \`fields=all\` also \`full\`. \`others\` is the type of fields named by the request or the catalogue.
 */
export interface Endpoints {
${members.join('\n')}
}

/** Further fields of rows, with spaces between them, where the catalogue of metrics names them all. */
// biome-ignore format: a line for each endpoint
export interface CatalogueFields {
${declared.flatMap(([, endpoint]) => catalogueFields(endpoint)).join('\n')}
}
`
}

/**
 * The names of the metrics that the catalogue assigns to an endpoint, except those that its rows
 * declare.
 */
function catalogueFields({ id, path, query, row, more }: Endpoint): string[] {
  const pattern = new RegExp(`^${id.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  const fields = catalogue.definitions.filter(({ endpoint }) => pattern.test(endpoint)).map(({ field }) => field)
  // Requests name the columns of the others.
  if (fields.length === 0 || more.def.catchall === undefined || 'metrics' in query.shape) return []
  const undeclared = [...new Set(fields)].filter((name) => !(name in row.shape))
  return [`  '${path}': ${undeclared.length > 0 ? `'${undeclared.join(' ')}'` : 'never'}`]
}

const seriesDate = toField({ name: 'date', required: true, schema: { type: 'string', description: 'Day, UTC' } })

/** The type of an endpoint: a `Series` or `Table` if it has that form. */
function endpointType(
  parameters: readonly Field[],
  common: readonly CommonInterface[],
  schema: Schema,
  row: z.ZodObject,
  more: z.ZodObject,
): string {
  const fields = toFields(schema)
  const key = schema.required ?? []
  const [defaults, full] = [requiredFields(row), requiredFields(more)]
  const others = typeof schema.additionalProperties === 'object' ? toTypeScript(schema.additionalProperties) : 'never'
  const [date, ...columns] = fields
  const { base, own } = splitParameters(parameters, common)
  const isDaily = base?.name === 'DailyParameters' && date?.text === seriesDate.text && key.join() === 'date'
  if (isDaily && full.length === 0 && others === 'number | null') {
    const always = defaults.filter((name) => name !== 'date')
    const members = [
      ...(own.length > 0 ? [`parameters: ${toBlock(own)}`] : []),
      ...(columns.length > 0 ? [`row: ${toBlock(columns)}`] : []),
    ]
    const series = always.length > 0 ? `Series<${toUnion(always)}>` : 'Series'
    return members.length > 0 ? `${series} & {\n${members.join('\n')}\n}` : series
  }
  const type = parametersType(parameters, common)
  if (others === 'never' && fields.length === new Set([...defaults, ...full]).size) {
    return `Table<${type}, ${toBlock(fields)}, ${toUnion(key)}${full.length > 0 ? `, ${toUnion(full)}` : ''}>`
  }
  return [
    '{',
    `parameters: ${type}`,
    `row: ${toBlock(fields)}`,
    `key: ${toUnion(key)}`,
    `default: ${toUnion(defaults)}`,
    `full: ${toUnion(full)}`,
    `others: ${others}`,
    '}',
  ].join('\n')
}

/** Fields that responses always have, also because of a default. */
const requiredFields = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape)
    .filter(([, type]) => z.safeParse(type, undefined).data !== undefined || !z.safeParse(type, undefined).success)
    .map(([field]) => field)

/** A member of an interface. */
interface Field {
  readonly name: string
  readonly text: string
}

interface CommonInterface {
  readonly name: string
  readonly lines: readonly Field[]
  readonly text: string
}

/** The interfaces of `commonParameters`, each parameter with its most frequent description. */
function createCommonInterfaces(parametersOfEach: readonly (readonly Field[])[]): CommonInterface[] {
  const written = parametersOfEach.flat()
  const countUses = (text: string): number => written.filter((line) => line.text === text).length
  const interfaces: CommonInterface[] = []
  for (const [name, [what, { shape }]] of Object.entries(commonParameters)) {
    const before = interfaces.findLast(({ lines }) => lines.every((line) => line.name in shape))
    const added = Object.keys(shape)
      .filter((parameter) => !before?.lines.some((line) => line.name === parameter))
      .map((parameter) =>
        written
          .filter((line) => line.name === parameter)
          .reduce((one, other) => (countUses(other.text) > countUses(one.text) ? other : one)),
      )
    interfaces.push({
      name,
      lines: [...(before?.lines ?? []), ...added],
      text: `/** Parameters ${what}. */\nexport interface ${name}${before ? ` extends ${before.name}` : ''} ${toBlock(added)}`,
    })
  }
  return interfaces
}

/** The largest common interface whose parameters are all in `lines`, and the remaining ones. */
function splitParameters(
  lines: readonly Field[],
  common: readonly CommonInterface[],
): { readonly base: CommonInterface | undefined; readonly own: readonly Field[] } {
  const texts = new Set(lines.map(({ text }) => text))
  const base = common.findLast((one) => one.lines.every(({ text }) => texts.has(text)))
  return { base, own: lines.filter(({ text }) => !base?.lines.some((line) => line.text === text)) }
}

function parametersType(lines: readonly Field[], common: readonly CommonInterface[]): string {
  const { base, own } = splitParameters(lines, common)
  if (base === undefined) return toBlock(own)
  return own.length === 0 ? base.name : `${base.name} & ${toBlock(own)}`
}

/** A union of words that refers to an earlier named type if it contains all of that. */
function toNamedUnion(name: string, words: readonly string[]): string {
  for (const [part, some] of Object.entries(namedTypes)) {
    if (part === name) break
    if (some.every((word) => words.includes(word))) {
      return `${part} | ${toUnion(words.filter((word) => !some.includes(word)))}`
    }
  }
  return toUnion(words)
}

const toUnion = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' | ') || 'never'

function toField({ name, required, schema }: { name: string; required?: boolean | undefined; schema: Schema }): Field {
  const description = schema.description === undefined ? '' : `/** ${schema.description} */\n`
  const key = /^\w+$/.test(name) ? name : `'${name}'`
  return { name, text: `${description}${key}${required ? '' : '?'}: ${toTypeScript(schema)}` }
}

const toFields = ({ properties = {}, required }: Schema): Field[] =>
  Object.entries(properties).map(([name, schema]) => toField({ name, required: required?.includes(name), schema }))

const toBlock = (lines: readonly Field[]): string =>
  lines.length === 0 ? '{}' : `{\n${lines.map(({ text }) => text).join('\n')}\n}`

/** Converts a schema to TypeScript, as far as the document uses JSON Schema. */
function toTypeScript(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'")
  const named = Object.entries(namedTypes).find(([, words]) => words.join() === schema.enum?.join())
  if (named) return named[0]
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one).replaceAll('"', "'")).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map(toTypeScript))].join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => toTypeScript({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'object':
      if (schema.properties === undefined) return 'Record<string, unknown>'
      return toBlock(toFields(schema))
    case 'array':
      return `readonly (${toTypeScript(schema.items ?? {})})[]`
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

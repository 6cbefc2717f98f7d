import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { openApiDocument } from '#api/openapi/document.ts'
import { parseDay } from '#base/days.ts'
import { version } from '#base/version.ts'
import { createCatalogue } from '#compute/catalogue/catalogue.ts'
import { listCohorts } from '#compute/cohorts/cohorts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { endpoints } from '#contract/endpoints.ts'
import { seriesIntervals } from '#contract/intervals.ts'
import { aggregates } from '#contract/metric-kinds.ts'
import { endpointPath } from '#contract/variants.ts'
import { networks } from '#ingest/chain/networks.ts'

/** The parts of JSON Schema that the OpenAPI document uses. */
interface Schema {
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

const halvings = ['2009-01-03', '2012-11-28', '2016-07-09', '2020-05-11', '2024-04-20'].map(parseDay)
const cohorts = listCohorts({ days: Int32Array.from(halvings) }, 1, parseDay('2026-12-31'))
const { definitions } = createCatalogue(networks.mainnet, cohorts)

const { paths, components } = JSON.parse(
  JSON.stringify(openApiDocument({ version, publicUrl: undefined, basePath: '' })),
) as Document

/** Parameters and rows of every data endpoint. */
function clientTypes(): string {
  const members = Object.entries(endpoints).map(([name, endpoint]) => {
    const { summary, parameters = [] } = paths[endpoint.path]!.get!
    const schema = components.schemas[`${name[0]!.toUpperCase()}${name.slice(1)}Row`]!
    const sent = parameters.filter((one) => one.in !== 'header')
    return `/** ${summary}. */\n'${endpoint.path}': ${toBlock(endpointFields(endpoint, sent, schema))}`
  })
  const paged = Object.values(endpoints).flatMap(({ path, query }) => ('cursor' in query.shape ? [path] : []))
  return `// Generated from the OpenAPI document by build/write-client.ts: do not edit.

/** Metadata of an answer. */
export interface Meta ${toTypeScript(components.schemas.Meta!)}

/** Body of every error. */
export interface Failure ${toTypeScript(components.schemas.Failure!)}

/** They take \`limit\` and \`cursor\`. */
export const pagedPaths: ReadonlySet<string> = new Set(${JSON.stringify(paged)})

/**
 * Data endpoints by path. Every row has the fields \`key\`, without the parameter \`fields\` also \`default\`, and with
 * \`fields=all\` also \`full\`. \`named\` are further fields that requests can name, and \`others\` is their type.
 */
export interface Endpoints {
${members.join('\n')}
}
`
}

function endpointFields(endpoint: Endpoint, parameters: readonly Parameter[], schema: Schema): string[] {
  const { additionalProperties } = schema
  const others = typeof additionalProperties === 'object' ? toTypeScript(additionalProperties) : 'never'
  return [
    `parameters: ${toBlock(parameters.map(toField))}`,
    `row: ${toBlock(toFields(schema))}`,
    `key: ${toUnion(schema.required ?? [])}`,
    `default: ${toUnion(requiredFields(endpoint.row))}`,
    `full: ${toUnion(requiredFields(endpoint.more))}`,
    `named: ${others === 'never' ? 'never' : namedFields(endpoint)}`,
    `others: ${others}`,
  ]
}

/**
 * The endpoint's metrics in the catalogue that its rows do not declare; any text if there are none.
 */
function namedFields({ id, query, row, more }: Endpoint): string {
  const pattern = new RegExp(`^${id.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  const fields = definitions.filter((metric) => pattern.test(endpointPath(metric))).map(({ field }) => field)
  // Requests name the columns of the others.
  if (fields.length === 0 || more.def.catchall === undefined || 'metrics' in query.shape) return 'string'
  return toUnion([...new Set(fields)].filter((name) => !(name in row.shape)))
}

/** Always in responses, also because of a default. */
const requiredFields = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape)
    .filter(([, type]) => z.safeParse(type, undefined).data !== undefined || !z.safeParse(type, undefined).success)
    .map(([field]) => field)

const toUnion = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' | ') || 'never'

function toField({ name, required, schema }: { name: string; required?: boolean | undefined; schema: Schema }): string {
  const description = schema.description === undefined ? '' : `/** ${schema.description} */\n`
  const key = /^\w+$/.test(name) ? name : `'${name}'`
  return `${description}${key}${required ? '' : '?'}: ${toTypeScript(schema)}`
}

const toFields = ({ properties = {}, required }: Schema): string[] =>
  Object.entries(properties).map(([name, schema]) => toField({ name, required: required?.includes(name), schema }))

const toBlock = (fields: readonly string[]): string => (fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n}`)

function toTypeScript(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map(toTypeScript))].join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => toTypeScript({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'object':
      return schema.properties === undefined ? 'Record<string, unknown>' : toBlock(toFields(schema))
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

/** Types of the Python package. */
function pythonTypes(): string {
  const { properties = {} } = components.schemas.MetricRow!
  const fields = Object.entries(properties).flatMap(([name, schema]) => [
    ...(schema.description === undefined ? [] : [`    #: ${schema.description}`]),
    `    ${name}: ${toPython(schema)}`,
  ])
  return `# Generated by build/write-client.ts: do not edit.

from __future__ import annotations

from typing import Literal, TypedDict

#: Length of a row.
Interval = ${toPython({ enum: seriesIntervals })}
#: Turns several days into one value.
Aggregate = ${toPython({ enum: aggregates })}


class Metric(TypedDict, total=False):
    """The definition of a metric."""

${fields.join('\n')}
`
}

function toPython({ enum: values, anyOf, type, items }: Schema): string {
  if (values) return `Literal[${values.map((one) => JSON.stringify(one)).join(', ')}]`
  if (anyOf) return anyOf.map(toPython).join(' | ')
  if (Array.isArray(type)) return type.map((one) => toPython({ type: one, ...(items && { items }) })).join(' | ')
  if (type === 'array') return `list[${toPython(items ?? {})}]`
  const types = { string: 'str', number: 'float', integer: 'int', boolean: 'bool', null: 'None' }
  const found = Object.entries(types).find(([name]) => name === type)
  if (!found) throw new Error(`no Python is known for ${JSON.stringify(type)}`)
  return found[1]
}

const clients = path.join(import.meta.dirname, '../clients')
const generated = { 'typescript/endpoints.ts': clientTypes(), 'python/src/coinstrata/contract.py': pythonTypes() }
for (const [name, text] of Object.entries(generated)) {
  const file = path.join(clients, name)
  // Tests may be reading it.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { parseJson } from '#base/parse-json.ts'
import { findClosest } from '#base/suggestions.ts'
import { answeringIds, MetricNames } from '#contract/metric-ids.ts'
import { metricKinds } from '#contract/metric-kinds.ts'
import { ownMetrics } from '#contract/tables/metrics.ts'
import { units } from '#contract/units.ts'
import { unfinishedPrefix } from '#sql/files.ts'
import { type Formula, parseFormula } from '#sql/formula/parse.ts'
import type { Catalogue } from './catalogue.ts'
import { type CategoryMetric, withKinds } from './definition.ts'

/** The operator's definitions of metrics (JSON, one a file). */
export const ownMetricsFolder = (dataDir: string): string => path.join(dataDir, 'metrics')

/** Each takes a column of all days in memory while it is computed. */
export const maxOwnMetrics = 200
const maxFileBytes = 16_384

/** A metric of Coinstrata, as far as definitions of one's own depend on it. */
export interface BuiltInMetric {
  readonly id: string
  readonly name: string
  readonly aliases: readonly string[]
  readonly grade: number
  /** Has a value for each day. */
  readonly isSeries: boolean
}

export interface OwnFile {
  readonly name: string
  /** Undefined if it cannot be read or is too large. */
  readonly text: string | undefined
}

interface OwnMetrics {
  /** By id. */
  readonly metrics: readonly CategoryMetric[]
  /** Each after those that it refers to. */
  readonly formulas: ReadonlyMap<string, Formula>
  /** Definitions that are left out, by file. */
  readonly problems: readonly CoinstrataError[]
}

/** In result rows, these names are taken. */
const takenIds: ReadonlySet<string> = new Set(['date', 'time', 'height', 'hash', 'value', 'formula'])

const text = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(maxLength, `has more than ${maxLength} characters`)
    .regex(/^[^\p{C}]*$/u, 'has a line break or another character that cannot be printed')

const definitionSchema = z.strictObject({
  id: z
    .string()
    .regex(
      /^[a-z][a-z0-9_]{0,62}$/,
      'must be at most 63 lower-case letters, digits and underscores, and begin with a letter',
    )
    .refine((id) => !takenIds.has(id), 'is the name of another column: choose another one')
    .refine((id) => isReferable(id), 'is a word of formulas: choose another one')
    .refine((id) => !/(^|_)sats(_|$)/.test(id), 'names satoshis, which are whole numbers: choose another one, in BTC'),
  title: text(100),
  formula: text(1000),
  unit: z
    .enum(units)
    .refine((unit) => unit !== 'sats', 'must be BTC, because results of formulas are not whole satoshis'),
  kind: z.enum(metricKinds).optional(),
  description: text(1000),
})
type OwnDefinition = z.infer<typeof definitionSchema>

function isReferable(id: string): boolean {
  try {
    return parseFormula(id).references.has(id)
  } catch {
    return false
  }
}

export function readOwnFiles(dataDir: string): OwnFile[] {
  const folder = ownMetricsFolder(dataDir)
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined) return []
  // A problem, as a file that cannot be read is: a publication does not depend on it.
  const names = isFolder ? listNames(folder) : undefined
  if (names === undefined) return [{ name: path.basename(folder), text: undefined }]
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith(unfinishedPrefix))
    .sort()
    .map((name) => readOwnFile(path.join(folder, name)))
}

export function readOwnFile(file: string): OwnFile {
  const name = path.basename(file)
  try {
    // First, because opening a pipe would wait for its writer.
    const stat = statSync(file)
    return { name, text: stat.isFile() && stat.size <= maxFileBytes ? readFileSync(file, 'utf8') : undefined }
  } catch {
    return { name, text: undefined }
  }
}

function listNames(folder: string): string[] | undefined {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}

/** Checks definitions of the operator. A built-in metric keeps its id, names and aliases. */
export function checkOwnMetrics(files: readonly OwnFile[], builtIn: readonly BuiltInMetric[]): OwnMetrics {
  const names = new MetricNames(builtIn)
  const taken = new Map(builtIn.flatMap((metric) => answeringIds(metric).map((id) => [id, metric] as const)))
  const fileById = new Map<string, string>()
  const leftOut = new Set<string>()
  const problems: CoinstrataError[] = []
  const read = files.flatMap(({ name: file, text }): (OwnDefinition & { file: string; parsed: Formula })[] => {
    let id: string | undefined
    try {
      const definition = parseDefinition(file, text)
      id = definition.id
      const before = fileById.get(id)
      if (before !== undefined)
        throw invalid(file, `defines '${id}', as ${before} does`, 'give one of the two another id')
      fileById.set(id, file)
      const ours = taken.get(id)
      if (ours) {
        const cure = `rename yours, for example to 'own_${id}', also in formulas that refer to it`
        throw invalid(file, `'${id}' is a metric of Coinstrata (${ours.name}), which keeps the name`, cure)
      }
      const [namesake] = names.namesakes(definition.title)
      if (namesake)
        throw invalid(
          file,
          `the title '${definition.title}' is a name of '${namesake.id}'`,
          'choose another title, so that the name finds one metric',
        )
      return [{ ...definition, file, parsed: parseFormula(definition.formula) }]
    } catch (error) {
      if (!(error instanceof CoinstrataError)) throw error
      // A second definition of an id leaves the first one in.
      if (id !== undefined && fileById.get(id) === file) leftOut.add(id)
      problems.push(error.message.startsWith(file) ? error : invalid(file, `formula: ${error.message}`, error.cure))
      return []
    }
  })

  const known = new Map(builtIn.map((metric) => [metric.id, metric]))
  const accepted = new Map<string, CategoryMetric>()
  const formulas = new Map<string, Formula>()
  let waiting = read
  for (let before = -1; before !== waiting.length; ) {
    before = waiting.length
    waiting = waiting.filter((definition) => {
      const references = [...definition.parsed.references.keys()]
      const inputs = references.map((id) => (leftOut.has(id) ? undefined : (accepted.get(id) ?? known.get(id))))
      if (!inputs.every((input) => input && (!('isSeries' in input) || input.isSeries))) return true
      const grade = Math.max(0, ...inputs.map((input) => input?.grade ?? 0))
      accepted.set(definition.id, toMetric(definition, grade))
      formulas.set(definition.id, definition.parsed)
      return false
    })
  }
  const waitingIds = new Set(waiting.map(({ id }) => id))
  for (const { file, parsed } of waiting) {
    const [id, position] = [...parsed.references].find(
      ([one]) => leftOut.has(one) || (!accepted.has(one) && !known.get(one)?.isSeries),
    )!
    const at = `formula: at position ${position}, '${id}'`
    if (leftOut.has(id))
      problems.push(invalid(file, `${at} is a metric of your own that is left out`, 'correct that one first'))
    else if (waitingIds.has(id))
      problems.push(
        invalid(
          file,
          `${at} is left out itself, or refers back to this metric`,
          'define it without this metric, or correct that one first',
        ),
      )
    else if (known.has(id))
      problems.push(invalid(file, `${at} has no value for each day`, 'use a metric that /v1/series answers'))
    else {
      const suggestion = names.find(id)?.id ?? findClosest(id, [...known.keys(), ...fileById.keys()])
      problems.push(
        invalid(
          file,
          `${at} is no metric${suggestion === undefined ? '' : `, did you mean '${suggestion}'?`}`,
          'use the id of a known metric: docs/metrics/all.md lists them',
        ),
      )
    }
  }
  const ids = [...accepted.keys()]
  for (const id of ids.slice(maxOwnMetrics)) {
    problems.push(
      invalid(
        fileById.get(id)!,
        `there are more than ${maxOwnMetrics} metrics of your own`,
        'remove some of the files',
      ),
    )
    accepted.delete(id)
    formulas.delete(id)
  }
  return { metrics: [...accepted.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), formulas, problems }
}

/** Adds the operator's metrics to the built-in ones. */
export function addOwnMetrics(
  catalogue: Catalogue,
  files: readonly OwnFile[],
): { readonly catalogue: Catalogue; readonly problems: readonly CoinstrataError[] } {
  const { definitions, formulas } = catalogue
  const builtIn = definitions.map((metric) => ({ ...metric, isSeries: metric.table !== 'cost_basis' }))
  const own = checkOwnMetrics(files, builtIn)
  const all = new Map([...formulas, ...own.formulas])
  const added =
    own.metrics.length === 0 ? [] : withKinds([...definitions, ...own.metrics], all).slice(definitions.length)
  return { catalogue: { definitions: [...definitions, ...added], formulas: all }, problems: own.problems }
}

/** A formula of a metric of a higher tier is not shown to lower ones. */
const toMetric = ({ id, title, formula, unit, kind, description }: OwnDefinition, grade: number): CategoryMetric => ({
  id,
  name: title,
  formula,
  unit,
  ...(kind && { kind }),
  description,
  source: 'the operator of this service',
  category: ownMetrics.category,
  table: ownMetrics.name,
  column: id,
  field: id,
  endpoint: 'series',
  grade: grade === 2 ? 2 : grade === 1 ? 1 : 0,
  whole: false,
  scale: 'linear',
  aliases: [],
  related: [],
})

function parseDefinition(file: string, text: string | undefined): OwnDefinition {
  if (text === undefined)
    throw invalid(
      file,
      'it cannot be read, or is not of its kind: a folder of files of at most 16 kB',
      'check its permissions; one file holds one metric',
    )
  // Some editors of Windows begin a file with a mark.
  const json = parseJson(text.replace(/^\uFEFF/, ''))
  if (json === undefined) throw invalid(file, 'it is not JSON', 'check commas, quotation marks and braces')
  const { data, error } = definitionSchema.safeParse(json)
  if (data) return data
  const issue = error.issues[0]!
  const fields = Object.keys(definitionSchema.shape)
  const cure = `a definition has ${fields.join(', ')}; kind may be left out`
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const suggestion = findClosest(key, fields)
    throw invalid(file, `there is no field '${key}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`, cure)
  }
  const [field] = issue.path
  if (field === undefined) throw invalid(file, 'it is no JSON object', cure)
  const given = z.record(z.string(), z.unknown()).parse(json)[String(field)]
  if (given === undefined) throw invalid(file, `the field '${String(field)}' is missing`, cure)
  if (issue.code === 'invalid_value') {
    const options = issue.values.map(String)
    const isSame = (option: string): boolean => option.toLowerCase() === String(given).toLowerCase()
    const suggestion = options.find(isSame) ?? findClosest(String(given), options)
    const meant = suggestion ? `, did you mean '${suggestion}'?` : ''
    throw invalid(
      file,
      `${String(field)} '${String(given)}' is unknown${meant}`,
      `use one of ${issue.values.join(', ')}`,
    )
  }
  const said = issue.code === 'invalid_type' ? 'must be a text' : issue.message
  throw invalid(file, `${String(field)} ${JSON.stringify(given)} ${said}`, cure)
}

const invalid = (file: string, problem: string, cure: string | undefined): CoinstrataError =>
  new CoinstrataError('invalid_file', `${file}: ${problem}`, cure === undefined ? {} : { cure })

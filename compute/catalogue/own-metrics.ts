import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { findClosest } from '#base/suggestions.ts'
import { answeringIds, MetricNames } from '#contract/metric-ids.ts'
import { ownMetrics } from '#contract/tables/metrics.ts'
import { unfinishedPrefix } from '#sql/files.ts'
import { type Formula, parseFormula } from '#sql/formula/parse.ts'
import type { RangeCohort } from '../cohorts/cohorts.ts'
import type { Catalogue } from './catalogue.ts'
import { cohortFamilies } from './cohort-families.ts'
import { type CategoryMetric, withKinds } from './definition.ts'
import { invalid, type OwnCohort, type OwnMetric, parseDefinition } from './own-definitions.ts'

/** The operator's definitions of metrics and cohorts (JSON, one a file). */
export const ownMetricsFolder = (dataDir: string): string => path.join(dataDir, 'metrics')

/** Each takes a column of all days in memory while it is computed. */
export const maxOwnMetrics = 200
/** Each has some forty metrics, besides those 200. */
export const maxOwnCohorts = 20
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
  readonly cohorts: readonly RangeCohort[]
  /** By id, including those of the cohorts. */
  readonly metrics: readonly CategoryMetric[]
  /** Also for definitions that are left out. */
  readonly fileById: ReadonlyMap<string, string>
  /** Each after those that it refers to. */
  readonly formulas: ReadonlyMap<string, Formula>
  /** Definitions that are left out, by file. */
  readonly problems: readonly CoinstrataError[]
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

/** A metric from a file; `parsed` if it has a formula. */
interface Defined {
  readonly file: string
  readonly metric: CategoryMetric
  readonly parsed: Formula | undefined
}

/** Checks definitions of the operator. A built-in metric keeps its id, names and aliases. */
export function checkOwnMetrics(files: readonly OwnFile[], builtIn: readonly BuiltInMetric[]): OwnMetrics {
  const names = new MetricNames(builtIn)
  const taken = new Map(builtIn.flatMap((metric) => answeringIds(metric).map((id) => [id, metric] as const)))
  const fileById = new Map<string, string>()
  const leftOut = new Set<string>()
  const problems: CoinstrataError[] = []
  const cohorts: RangeCohort[] = []
  const counts = { metrics: 0, cohorts: 0 }
  const read = files.flatMap(({ name: file, text }): Defined[] => {
    let ids: readonly string[] = []
    try {
      const definition = parseDefinition(file, text)
      const cohort = 'cohort' in definition ? definition.cohort : undefined
      const metrics = 'cohort' in definition ? cohortMetrics(definition) : [toMetric(definition)]
      ids = metrics.map(({ id }) => id)
      const twice = ids.find((id) => fileById.has(id))
      if (twice !== undefined)
        throw invalid(file, `defines '${twice}', as ${fileById.get(twice)} does`, 'give one of the two another id')
      for (const id of ids) fileById.set(id, file)
      for (const { id, name } of metrics) {
        const ours = taken.get(id)
        const what = cohort ? `the cohort, for example to 'own_${cohort.id}'` : `yours, for example to 'own_${id}'`
        const rename = `rename ${what}, also in formulas that refer to it`
        if (ours) throw invalid(file, `'${id}' is a metric of Coinstrata (${ours.name}), which keeps the name`, rename)
        const [namesake] = names.namesakes(name)
        if (namesake) throw invalid(file, `'${name}' is a name of '${namesake.id}'`, 'choose another title for yours')
      }
      const [what, max] = cohort ? (['cohorts', maxOwnCohorts] as const) : (['metrics', maxOwnMetrics] as const)
      if (++counts[what] > max)
        throw invalid(file, `there are more than ${max} ${what} of your own`, 'remove some of the files')
      const defined = metrics.map((metric) => ({
        file,
        metric,
        parsed: metric.formula === undefined ? undefined : parseFormula(metric.formula),
      }))
      if (cohort) cohorts.push(cohort)
      return defined
    } catch (error) {
      if (!(error instanceof CoinstrataError)) throw error
      // A second definition of an id leaves the first one in.
      for (const id of ids) if (fileById.get(id) === file) leftOut.add(id)
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
    waiting = waiting.filter(({ metric, parsed }) => {
      const references = [...(parsed?.references.keys() ?? [])]
      const inputs = references.map((id) => (leftOut.has(id) ? undefined : (accepted.get(id) ?? known.get(id))))
      if (!inputs.every((input) => input && (!('isSeries' in input) || input.isSeries))) return true
      const grade = Math.max(metric.grade, ...inputs.map((input) => input?.grade ?? 0))
      // A formula of a metric of a higher tier is not shown to lower ones.
      accepted.set(metric.id, { ...metric, grade: grade === 2 ? 2 : grade === 1 ? 1 : 0 })
      if (parsed) formulas.set(metric.id, parsed)
      return false
    })
  }
  const waitingIds = new Set(waiting.map(({ metric }) => metric.id))
  for (const { file, parsed } of waiting) {
    const [id, position] = [...parsed!.references].find(
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
  const metrics = [...accepted.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return { cohorts, metrics, fileById, formulas, problems }
}

export type AddedMetrics = ReturnType<typeof addOwnMetrics>

/** Adds the operator's metrics to the built-in ones, of `builtIn`. */
export function addOwnMetrics(builtIn: Catalogue, files: readonly OwnFile[]) {
  const { definitions } = builtIn
  const { metrics, formulas, cohorts, problems } = checkOwnMetrics(
    files,
    definitions.map((metric) => ({ ...metric, isSeries: metric.table !== 'cost_basis' })),
  )
  const all = new Map([...builtIn.formulas, ...formulas])
  const added = metrics.length === 0 ? [] : withKinds([...definitions, ...metrics], all).slice(definitions.length)
  return { builtIn, catalogue: { definitions: [...definitions, ...added], formulas: all }, cohorts, problems }
}

const placed = (id: string) =>
  ({
    source: 'the operator of this service',
    category: ownMetrics.category,
    table: ownMetrics.name,
    column: id,
    field: id,
    endpoint: 'series',
    aliases: [],
  }) as const

const toMetric = ({ title, kind, ...definition }: OwnMetric): CategoryMetric => ({
  ...definition,
  ...placed(definition.id),
  name: title,
  ...(kind && { kind }),
  grade: 0,
  whole: false,
  scale: 'linear',
  related: [],
})

/** Metrics of all measures of a cohort, as those of the built-in cohorts. */
const cohortMetrics = ({ cohort, title, coins }: OwnCohort): CategoryMetric[] =>
  cohortFamilies([cohort], () => ({ coins, label: title })).map(({ cohort: _cohort, ...metric }) => ({
    ...metric,
    ...placed(metric.id),
  }))

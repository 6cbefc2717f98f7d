import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { parseJson } from '#base/parse-json.ts'
import { findClosest } from '#base/suggestions.ts'
import { metricKinds } from '#contract/metric-kinds.ts'
import { units } from '#contract/units.ts'
import { parseFormula } from '#sql/formula/parse.ts'
import type { RangeCohort } from '../cohorts/cohorts.ts'

/** In result rows, these names are taken. */
const takenIds: ReadonlySet<string> = new Set(['date', 'time', 'height', 'hash', 'value', 'formula'])

const text = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1, 'is empty')
    .max(maxLength, `has more than ${maxLength} characters`)
    .regex(/^[^\p{C}]*$/u, 'has a line break or another character that cannot be printed')

const idText = (maxLength: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[a-z][a-z0-9_]{0,${maxLength - 1}}$`),
      `must be at most ${maxLength} lower-case letters, digits and underscores, and begin with a letter`,
    )
    .refine((id) => !/(^|_)sats(_|$)/.test(id), 'names satoshis, which are whole numbers: choose another one, in BTC')

const metricSchema = z.strictObject({
  id: idText(63)
    .refine((id) => !takenIds.has(id), 'is the name of another column: choose another one')
    .refine((id) => isReferable(id), 'is a word of formulas: choose another one'),
  title: text(100),
  formula: text(1000),
  unit: z
    .enum(units)
    .refine((unit) => unit !== 'sats', 'must be BTC, because results of formulas are not whole satoshis'),
  kind: z.enum(metricKinds).optional(),
  description: text(1000),
})

const maxAge = 36_500
const firstDay = '2009-01-03'
const day = z.iso
  .date()
  .refine((date) => date >= firstDay)
  .transform(parseDay)

const cohortSchema = z.strictObject({
  cohort: idText(30),
  title: text(60),
  age_days: z
    .tuple([z.int().min(0), z.int().max(maxAge)])
    .refine(([from, to]) => from < to)
    .optional(),
  created: z
    .tuple([day, day])
    .refine(([from, to]) => from <= to)
    .optional(),
})

const rangeRules: Readonly<Record<string, string>> = {
  age_days: `must be two whole numbers up to ${maxAge}, the lower one first, such as [90, 200]`,
  created: `must be two days from ${firstDay} on, the earlier one first, such as ["2021-01-01", "2021-06-30"]`,
}

export type OwnMetric = z.infer<typeof metricSchema>
type CohortFile = z.infer<typeof cohortSchema>
export interface OwnCohort {
  readonly cohort: RangeCohort
  readonly title: string
  /** Within a sentence. */
  readonly coins: string
}

function isReferable(id: string): boolean {
  try {
    return parseFormula(id).references.has(id)
  } catch {
    return false
  }
}

/** Throws `invalid_file`. */
export function parseDefinition(file: string, text: string | undefined): OwnMetric | OwnCohort {
  if (text === undefined)
    throw invalid(
      file,
      'it cannot be read, or is not of its kind: a folder of files of at most 16 kB',
      'check its permissions; one file holds one definition',
    )
  // Some editors of Windows begin a file with a mark.
  const json = parseJson(text.replace(/^\uFEFF/, ''))
  if (json === undefined) throw invalid(file, 'it is not JSON', 'check commas, quotation marks and braces')
  const { data: given = {} } = z.record(z.string(), z.unknown()).safeParse(json)
  const isCohort = !('formula' in given) && ['cohort', ...Object.keys(rangeRules)].some((name) => name in given)
  const { data, error } = (isCohort ? cohortSchema : metricSchema).safeParse(json)
  const fields = Object.keys((isCohort ? cohortSchema : metricSchema).shape)
  const cure = isCohort
    ? 'a cohort has cohort, title, and either age_days or created'
    : `a definition has ${fields.join(', ')}; kind may be left out`
  if (data) return 'cohort' in data ? toCohort(file, data, cure) : data
  const issue = error.issues[0]!
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const suggestion = findClosest(key, fields)
    throw invalid(file, `there is no field '${key}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`, cure)
  }
  const [field] = issue.path
  if (field === undefined) throw invalid(file, 'it is no JSON object', cure)
  const name = String(field)
  const value = given[name]
  if (value === undefined) throw invalid(file, `the field '${name}' is missing`, cure)
  if (issue.code === 'invalid_value') {
    const options = issue.values.map(String)
    const isSame = (option: string): boolean => option.toLowerCase() === String(value).toLowerCase()
    const suggestion = options.find(isSame) ?? findClosest(String(value), options)
    const meant = suggestion ? `, did you mean '${suggestion}'?` : ''
    throw invalid(file, `${name} '${String(value)}' is unknown${meant}`, `use one of ${issue.values.join(', ')}`)
  }
  const rule = rangeRules[name] ?? (issue.code === 'invalid_type' ? 'must be a text' : issue.message)
  throw invalid(file, `${name} ${JSON.stringify(value)} ${rule}`, cure)
}

function toCohort(file: string, { cohort: id, title, age_days: age, created }: CohortFile, cure: string): OwnCohort {
  if (age && !created) {
    const [lower, upper] = age
    const coins = `coins aged ${lower} days or more and less than ${upper} days`
    return { cohort: { id, kind: 'age', lower, upper }, title, coins }
  }
  if (created && !age) {
    const [from, to] = created
    const coins = `coins created from ${isoDate(from)} to ${isoDate(to)}`
    return { cohort: { id, kind: 'created', from, to: to + 1 }, title, coins }
  }
  throw invalid(file, age ? 'it has both age_days and created' : 'it has neither age_days nor created', cure)
}

export const invalid = (file: string, problem: string, cure: string | undefined): CoinstrataError =>
  new CoinstrataError('invalid_file', `${file}: ${problem}`, cure === undefined ? {} : { cure })

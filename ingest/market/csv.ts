import { readFileSync } from 'node:fs'
import { CsvError, parse } from 'csv-parse/sync'
import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { CoinstrataError, hasErrorCode } from '#base/errors.ts'

export interface CsvRow<Row> {
  readonly line: number
  readonly row: Row
}

export type CsvSchema<Row> = z.ZodType<Row> & { readonly shape: z.ZodRawShape }

const records = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) }))

/**
 * Reads a CSV file with a header line and columns in any order. Throws `invalid_file` with file,
 * line and problem.
 * @param schema one field per column, from text; optional fields may be missing or empty
 */
export function readCsv<Row>(file: string, schema: CsvSchema<Row>): CsvRow<Row>[] {
  const names = Object.keys(schema.shape)
  const expected = names.map((name) => (isOptional(schema, name) ? `[${name}]` : name)).join(',')
  const cure = `the first line must name the columns ${expected}, and every line must have as many cells`
  const { header, rows } = readCells(file, cure)
  const columns = header.row.map((name) => name.toLowerCase())
  const unknown = columns.find((name, i) => !names.includes(name) || columns.indexOf(name) !== i)
  if (unknown !== undefined) throw invalidLine(file, header.line, `unknown or repeated column "${unknown}"`, cure)
  const missing = names.find((name) => !columns.includes(name) && !isOptional(schema, name))
  if (missing) throw invalidLine(file, header.line, `the column "${missing}" is missing`, cure)
  if (rows.length === 0) throw invalidLine(file, 1, 'there are no rows after the header', cure)
  return rows.map(({ line, row }) => {
    const cells = columns.map((name, i): [string, string] => [name, row[i]!])
    const parsed = schema.safeParse(Object.fromEntries(cells.filter(([, text]) => text !== '')))
    if (parsed.success) return { line, row: parsed.data }
    const issue = parsed.error.issues[0]!
    const column = String(issue.path[0])
    const cell = cells.find(([name]) => name === column)?.[1] ?? ''
    const what = cell ? `${column} "${cell}" ${issue.message}` : `${column} is empty`
    throw invalidLine(file, line, what, 'correct the line')
  })
}

/**
 * Trimmed cells; each row has as many as the header. Throws `invalid_file` with file, line and
 * problem.
 */
export function readCells(file: string, cure: string): { header: CsvRow<string[]>; rows: CsvRow<string[]>[] } {
  const [header, ...rows] = parseFile(file).map(({ record, info: { lines: line } }) => {
    return { line, row: record.map((text) => text.trim()) }
  })
  if (!header) throw invalidLine(file, 1, 'the file is empty', cure)
  const length = header.row.length
  const other = rows.find(({ row }) => row.length !== length)
  if (other) throw invalidLine(file, other.line, `${other.row.length} cells where the header has ${length}`, cure)
  return { header, rows }
}

/** Throws `invalid_file` for an unreadable file. */
export const hasColumn = (file: string, name: string): boolean =>
  parseFile(file)[0]?.record.some((column) => column.trim().toLowerCase() === name) ?? false

export const invalidLine = (file: string, line: number, what: string, cure: string): CoinstrataError =>
  new CoinstrataError('invalid_file', `${file}, line ${line}: ${what}`, { cure })

/** `YYYY-MM-DD` as unix day. */
export const dayCell = z.string().transform((text, context) => {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? parseDay(text) : Number.NaN
  // Date.parse reads February 30 as March 1.
  if (Number.isNaN(day) || isoDate(day) !== text) {
    context.addIssue('is not a calendar date of the form YYYY-MM-DD')
    return z.NEVER
  }
  return day
})

/** `YYYY-MM-DDTHH:MM[:SS]Z` in milliseconds since 1970. */
export const instantCell = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/, 'is not an instant of the form YYYY-MM-DDTHH:MM:SSZ')
  .transform((text) => Date.parse(text))
  .refine(Number.isFinite, 'is not an instant that exists')

export const numberCell = z
  .string()
  .regex(/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/, 'is not a number')
  .transform(Number)
  .refine(Number.isFinite, 'is not a finite number')

function parseFile(file: string): z.infer<typeof records> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const isFolder = hasErrorCode(cause, 'EISDIR')
    throw new CoinstrataError('invalid_file', isFolder ? `${file} is a folder` : `${file} cannot be read`, {
      cure: isFolder ? 'name the CSV file itself' : 'check the path and its permissions',
      cause,
    })
  }
  try {
    return records.parse(parse(text, { bom: true, info: true, relax_column_count: true, skip_empty_lines: true }))
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    throw new CoinstrataError('invalid_file', `${file}: ${cause.message}`, { cure: 'correct the quoting', cause })
  }
}

const isOptional = ({ shape }: CsvSchema<unknown>, name: string): boolean => shape[name]?._zod.optin !== undefined

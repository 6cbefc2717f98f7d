import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { CsvError, parse } from 'csv-parse/sync'
import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { CoinstrataError, hasErrorCode } from '#base/errors.ts'
import { parseJson } from '#base/parse-json.ts'

export interface CsvRow<Row> {
  readonly line: number
  readonly row: Row
}

export type CsvSchema<Row> = z.ZodType<Row> & { readonly shape: z.ZodRawShape }

/** A file as it was written: CSV in any encoding and with any separator, or JSON with an entry each. */
export interface Table {
  readonly file: string
  /** Unit of row numbers. */
  readonly unit: 'line' | 'entry'
  readonly separator: string
  readonly header: CsvRow<readonly string[]>
  /** Trimmed cells; those beyond the header are empty. */
  readonly rows: readonly CsvRow<readonly string[]>[]
}

const records = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) }))
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
const entries = z.array(z.object({ o: z.record(z.string(), cell).optional() }).catchall(cell))
/** `[{t, v}]` and `[{t, o: {…}}]` of Glassnode, `{data: [{…}]}` of Coin Metrics. */
const json = z.union([entries, z.object({ data: entries }).transform(({ data }) => data)])

const maxTableBytes = 60_000_000
const maxLineLength = 100_000

const throwIt = (error: CoinstrataError): void => {
  throw error
}

/**
 * Reads a CSV file with a header line and columns in any order. Throws `invalid_file` with file,
 * line and problem.
 * @param schema one field per column, from text; optional fields may be missing or empty
 * @param hasOthers ignores other columns
 * @param onInvalid called for an invalid row, which is then left out; default: throws
 */
export function readCsv<Row>(
  file: string,
  schema: CsvSchema<Row>,
  hasOthers = false,
  onInvalid = throwIt,
): CsvRow<Row>[] {
  const names = Object.keys(schema.shape)
  const expected = names.map((name) => (isOptional(schema, name) ? `[${name}]` : name)).join(',')
  const cure = `the first line must name the columns ${expected}, and every line must have as many cells`
  const { header, rows } = readTable(file, cure, undefined, undefined, onInvalid)
  const columns = header.row.map((name) => name.toLowerCase())
  const isUnknown = (name: string): boolean => !hasOthers && !names.includes(name)
  const unknown = columns.find((name, i) => isUnknown(name) || columns.indexOf(name) !== i)
  if (unknown !== undefined) throw invalidLine(file, header.line, `unknown or repeated column "${unknown}"`, cure)
  const missing = names.find((name) => !columns.includes(name) && !isOptional(schema, name))
  if (missing) throw invalidLine(file, header.line, `the column "${missing}" is missing`, cure)
  return rows.flatMap(({ line, row }) => {
    const cells = columns.map((name, i): [string, string] => [name, row[i]!])
    const parsed = schema.safeParse(Object.fromEntries(cells.filter(([, text]) => text !== '')))
    if (parsed.success) return [{ line, row: parsed.data }]
    const issue = parsed.error.issues[0]!
    const column = String(issue.path[0])
    const cell = cells.find(([name]) => name === column)?.[1] ?? ''
    const what = cell ? `${column} "${cell}" ${issue.message}` : `${column} is empty`
    onInvalid(invalidLine(file, line, what, 'correct the line'))
    return []
  })
}

/**
 * Reads CSV or JSON. Throws `invalid_file` with file, line and problem.
 * @param isHeader finds the header below lines of comment (default: it is the first line)
 * @param unnamed names of columns by their number, for files without a header
 * @param onInvalid called for a row with too few or too many cells; default: throws
 */
export function readTable(
  file: string,
  cure: string,
  isHeader: (row: readonly string[]) => boolean = () => true,
  unnamed: Readonly<Record<number, string>> = {},
  onInvalid = throwIt,
): Table {
  const text = readText(file, maxTableBytes)
  const isJson = /^\s*[[{]/.test(text)
  const separator = isJson ? ',' : findSeparator(text)
  const all = isJson ? parseEntries(file, text) : parseLines(file, text, separator)
  const at = all.findIndex(({ row }) => isHeader(row))
  const named = { line: 1, row: unnamed[all[0]?.row.length ?? 0]?.split(',') ?? [] }
  const [header = named, ...rows] = at < 0 ? [named, ...all] : all.slice(at)
  const table = { file, unit: isJson ? 'entry' : 'line', separator, header, rows } as const
  const complain = (line: number, what: string) => refuse(table, line, what, cure)
  const { length } = header.row
  if (length === 0) throw complain(1, all.length === 0 ? 'the file is empty' : 'no line names the columns')
  const early = all.slice(0, Math.max(at, 0)).find(({ row }) => row.filter((text) => /^\d/.test(text)).length > 1)
  if (early) throw complain(early.line, 'values above the names of the columns')
  if (rows.length === 0) throw complain(header.line, 'there are no rows after the header')
  const isWhole = ({ line, row }: CsvRow<readonly string[]>): boolean => {
    const fits = row.length >= length && row.slice(length).every((text) => text === '')
    if (!fits) onInvalid(complain(line, `${row.length} cells where the header has ${length}`))
    return fits
  }
  return { ...table, rows: rows.filter(isWhole) }
}

export const refuse = ({ file, unit }: Table, line: number, what: string, cure: string): CoinstrataError =>
  new CoinstrataError('invalid_file', `${file}, ${unit} ${line}: ${what}`, { cure })

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

/** Text in UTF-8, UTF-16 or Windows-1252, with `\n` at the end of lines. Throws `invalid_file`. */
export function readText(file: string, maxBytes: number): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (cause) {
    const isFolder = hasErrorCode(cause, 'EISDIR')
    throw new CoinstrataError('invalid_file', isFolder ? `${file} is a folder` : `${file} cannot be read`, {
      cure: isFolder ? 'name the file itself' : 'check the path and its permissions',
      cause,
    })
  }
  const guess = isUtf8(bytes) ? 'utf-8' : 'windows-1252'
  const encoding = bytes[3] === 0 ? 'utf-16le' : bytes[2] === 0 ? 'utf-16be' : guess
  const text = bytes.length > maxBytes ? '\0' : new TextDecoder(encoding).decode(bytes)
  if (!text.includes('\0')) return text.replaceAll(/\r\n?/g, '\n')
  const cure = `unpack it, save a sheet as CSV, or give fewer lines: at most ${maxBytes} bytes are read`
  throw new CoinstrataError('invalid_file', `${file} is too large or not text`, { cure })
}

const separatorLine = /^sep=(.)\n/i

/** The separator in most of the first lines, unless the file names it as Excel does. */
function findSeparator(text: string): string {
  const lines = text.slice(0, maxLineLength).split('\n', 20)
  const count = (mark: string): number => lines.filter((line) => line.includes(mark)).length
  return separatorLine.exec(text)?.[1] ?? ['\t', ';', ',', '|'].reduce((a, b) => (count(b) > count(a) ? b : a))
}

/** Trimmed cells of all lines but empty ones and comments. Throws `invalid_file`. */
export function parseLines(file: string, text: string, delimiter = findSeparator(text)): CsvRow<string[]>[] {
  const lines = { info: true, skip_empty_lines: true, comment: '#', comment_no_infix: true } as const
  const options = { ...lines, delimiter, relax_column_count: true, max_record_size: maxLineLength }
  try {
    return records.parse(parse(text.replace(separatorLine, '\n'), options)).map(({ record, info: { lines: line } }) => {
      return { line, row: record.map((text) => text.trim()) }
    })
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    throw new CoinstrataError('invalid_file', `${file}: ${cause.message}`, { cure: 'correct the quoting', cause })
  }
}

function parseEntries(file: string, text: string): CsvRow<string[]>[] {
  const { data, error } = json.safeParse(parseJson(text))
  if (error) {
    const what = `${file} is not a list of entries in JSON`
    throw new CoinstrataError('invalid_file', what, { cure: 'give the whole answer of the vendor', cause: error })
  }
  const flat = data.map(({ o, ...entry }): Readonly<Record<string, z.infer<typeof cell>>> => ({ ...entry, ...o }))
  const names = [...new Set(flat.flatMap(Object.keys))]
  const rows = flat.map((entry, i) => ({ line: i + 1, row: names.map((name) => String(entry[name] ?? '')) }))
  return names.length > 0 ? [{ line: 1, row: names }, ...rows] : []
}

const isOptional = ({ shape }: CsvSchema<unknown>, name: string): boolean => shape[name]?._zod.optin !== undefined

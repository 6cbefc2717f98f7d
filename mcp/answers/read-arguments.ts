import { z } from 'zod'

/** Parameters by guessed names; the first that a tool has counts. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ...{
      limit: ['rows', 'days'],
      count: ['limit', 'rows'],
      rows: ['limit', 'bands'],
      period: ['interval'],
      interval: ['period'],
    },
    ...{
      metric: ['metric_id', 'metrics'],
      metrics: ['metric'],
      metric_id: ['metric', 'metrics'],
      id: ['metric_id', 'entity_id'],
    },
    start: ['start_date'],
    from: ['start_date'],
    since: ['start_date'],
    end: ['end_date'],
    to: ['end_date'],
    sort: ['order'],
    family: ['type'],
    type: ['family', 'of'],
    kind: ['of', 'type'],
    q: ['query'],
    company: ['entity'],
    name: ['entity'],
    fund: ['ticker'],
    etf: ['ticker'],
    venue: ['exchange'],
  }),
)

/** Values by guessed words, for parameters with a list of values. */
const otherValues: ReadonlyMap<string, string> = new Map(
  Object.entries({
    etf: 'funds',
    etfs: 'funds',
    company: 'treasuries',
    companies: 'treasuries',
    venues: 'exchanges',
    desc: 'highest',
    descending: 'highest',
    asc: 'lowest',
    ascending: 'lowest',
    hourly: 'hour',
    daily: 'day',
    weekly: 'week',
    monthly: 'month',
    yearly: 'year',
    '24h': 'day',
    '7d': 'week',
    '30d': 'month',
  }),
)

/** Also reads numbers, switches and lists as text, other names, and single values for lists. */
export const readArguments = (schema: z.ZodObject): z.ZodType =>
  z.preprocess((given) => {
    if (typeof given !== 'object' || given === null) return given
    const known = Object.fromEntries(Object.entries(given).filter(([name]) => name in schema.shape))
    for (const [name, value] of Object.entries(given)) {
      const other = otherNames.get(name)?.find((one) => one in schema.shape && !(one in known))
      if (!(name in known)) known[other ?? name] = value
    }
    return Object.fromEntries(
      Object.entries(known).map(([name, value]) => {
        const parameter: z.core.$ZodType | undefined = schema.shape[name]
        if (!parameter || z.safeParse(parameter, value).success) return [name, value]
        return [name, readForms(value).find((one) => z.safeParse(parameter, one).success) ?? value]
      }),
    )
  }, schema)

function readForms(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.length === 1 ? [value[0]] : []
  if (typeof value !== 'string') return []
  const word = value.trim().toLowerCase()
  const words = [otherValues.get(word) ?? word, `${word}s`, word.replace(/y$/, 'ies'), word.replace(/s$/, '')]
  return [...parseIfJson(value), ...words, value.split(',').map((one) => one.trim())]
}

function parseIfJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

import { satsPerCoin } from '#base/bitcoin.ts'
import { isoDate } from '#base/days.ts'
import { isFine } from '#contract/chart-options.ts'
import { seriesIntervalCodes, startOfPeriod } from '#contract/intervals.ts'
import { isRecomputed, type MetricAggregate } from '#contract/metric-kinds.ts'
import { readFull, requestPath } from '../data/client.ts'
import { toChartBody } from './chart-body.ts'
import { metricIds, type ShareProps } from './chart-options.ts'
import { requiredMetrics } from './compose.ts'

export interface SharedChart extends Omit<ShareProps, 'note'> {
  /** App URL without a trailing slash. */
  readonly service: string
  /** The service takes keys, and the reader may have one. */
  readonly takesKeys: boolean
  readonly hasKey: boolean
}

export const snippetLanguages = ['curl', 'Python', 'SQL', 'R', 'JavaScript', 'Assistant'] as const

/** Programs that read the values of a chart. */
export const snippets: Readonly<
  Record<(typeof snippetLanguages)[number], (chart: SharedChart) => string | Promise<string>>
> = {
  curl: (chart) => {
    const { address, body, needsKey } = toRequest(chart, 'csv')
    return [
      `curl '${address}'`,
      ...(needsKey ? ['-H "Authorization: Bearer $COINSTRATA_API_KEY"'] : []),
      ...(body === undefined ? [] : [`--json '${body.replaceAll("'", '\\u0027')}'`]),
    ].join(' \\\n  ')
  },
  Python: (chart) => {
    const { address, body, needsKey } = toRequest(chart, 'csv')
    return toLines(
      `import csv, io, ${needsKey ? 'os, ' : ''}urllib.request`,
      `request = urllib.request.Request("${address}")`,
      needsKey && 'request.add_header("Authorization", "Bearer " + os.environ["COINSTRATA_API_KEY"])',
      body && 'request.add_header("Content-Type", "application/json")',
      body && `request.data = r"""${body}""".encode()`,
      'with urllib.request.urlopen(request) as answer:',
      '    rows = list(csv.DictReader(io.TextIOWrapper(answer, "utf-8", newline="")))',
      'print(rows[-1])',
    )
  },
  SQL: writeSql,
  R: (chart) => {
    const { address, body, needsKey } = toRequest(chart, 'csv')
    const key = needsKey ? ['Authorization = paste("Bearer", Sys.getenv("COINSTRATA_API_KEY"))'] : []
    const headers = [...(body ? ['"Content-Type" = "application/json"'] : []), ...key].join(', ')
    const source = body
      ? `curl::curl("${address}", handle = request)`
      : needsKey
        ? `url("${address}", headers = c(${headers}))`
        : `"${address}"`
    return toLines(
      body && '# install.packages("curl")',
      body && `request <- curl::new_handle(copypostfields = r"---(${body.replaceAll(')-', ')\\u002d')})---")`,
      body && `curl::handle_setheaders(request, ${headers})`,
      `data <- read.csv(${source}, check.names = FALSE)`,
      'tail(data)',
    )
  },
  JavaScript: (chart) => {
    const { address, body, needsKey } = toRequest(chart, 'json')
    const headers = [
      ...(body ? ["'Content-Type': 'application/json'"] : []),
      ...(needsKey ? ['Authorization: `Bearer $' + '{process.env.COINSTRATA_API_KEY}`'] : []),
    ].join(', ')
    return toLines(
      `const answer = await fetch("${address}"${headers ? ', {' : ')'}`,
      body && "  method: 'POST',",
      headers && `  headers: { ${headers} },`,
      body && `  body: JSON.stringify(${body}),`,
      headers && '})',
      'if (!answer.ok) throw new Error(await answer.text())',
      'const { data } = await answer.json()',
      'console.log(data.at(-1))',
    )
  },
  Assistant: ({ service, title, options }) => {
    const lines = [...metricIds(options), ...(options.formulas ?? []).map(({ expression }) => expression)].join(', ')
    return `With the Coinstrata tools at ${service}/mcp: show me ${title}${lines && ` (${lines})`}, explain what the newest value means compared with its own history, and draw the chart.`
  },
}

const toLines = (...lines: readonly (string | false | undefined)[]): string => lines.filter(Boolean).join('\n')

/**
 * Requests the values from /v1/series if possible, otherwise the chart as a table, with a JSON
 * body. Programs take the key from the environment.
 */
function toRequest(chart: SharedChart, format: 'csv' | 'json') {
  const { options, days, service, title, takesKeys, hasKey } = chart
  if (!isTableOfSeries(options)) {
    const { theme, width, height, pixel_ratio, text_scale, embed_font, ...drawn } = toChartBody(options, title)
    const body = { ...drawn, format: format === 'json' ? 'rows' : format }
    return { address: `${service}/v1/chart/snapshot`, body: JSON.stringify(body), needsKey: takesKeys }
  }
  const { interval = 'day', formulas: [formula] = [], overlay } = options
  const ids = metricIds(options)
  const path = requestPath('series', {
    metrics: [...new Set([...ids, ...(overlay ? [overlay] : [])])].join() || undefined,
    // The series endpoint does not number metrics.
    formula: formula?.expression.replaceAll(/\bm(\d+)\b/g, (name, number) => ids[Number(number) - 1] ?? name),
    interval: interval === 'day' ? undefined : interval,
    ...(days
      ? {
          start_date: isoDate(startOfPeriod(days[0], seriesIntervalCodes[interval])),
          end_date: isoDate(days[1]),
          order: 'asc',
        }
      : { limit: 10_000 }),
    format,
  })
  // Within quotes, commas, slashes and parentheses need no escapes.
  return {
    address: `${service}/${path.replaceAll(/%2[89CF]/g, decodeURIComponent)}`,
    body: undefined,
    needsKey: hasKey,
  }
}

/** Whether the chart draws plain metrics and at most one formula. */
function isTableOfSeries(options: SharedChart['options']): boolean {
  const { heatmap, histogram, calendar, x_axis, normalize, stacked, formulas = [], reference_lines = [] } = options
  const isOther = heatmap || histogram || calendar || x_axis === 'day_offset' || normalize || stacked === 'percent'
  const isEarlier = options.generation !== undefined || options.as_of !== undefined
  const items = [options, ...(options.metrics ?? []), ...formulas].filter((one) => typeof one !== 'string')
  const isDerived = items.some((one) => one.style === 'candle' || 'color_by' in one || 'aggregate' in one)
  return (
    !isOther && !isEarlier && !isDerived && formulas.length <= 1 && !reference_lines.some((line) => 'y_formula' in line)
  )
}

const sqlAggregates: Readonly<Partial<Record<MetricAggregate, (column: string) => string>>> = {
  last: (column) => `arg_max(${column}, date)`,
  first: (column) => `arg_min(${column}, date)`,
  sum: (column) => `sum(${column})`,
  mean: (column) => `avg(${column})`,
  min: (column) => `min(${column})`,
  max: (column) => `max(${column})`,
}

/** Queries the published files for a chart's metrics or distribution. */
async function writeSql({ options, days }: SharedChart): Promise<string> {
  const { heatmap, histogram, x_axis, cycle_family = 'halving', indexed, interval = 'day', formulas = [] } = options
  const table = (name: string) => `'data/published/${options.generation ?? 'current'}/${name}.parquet'`
  const range = days?.map((day, i) => `'${isoDate(i === 0 ? startOfPeriod(day, seriesIntervalCodes[interval]) : day)}'`)
  const between = range && `date BETWEEN ${range.join(' AND ')}`
  if (heatmap || histogram) {
    const { metric } = heatmap ?? histogram ?? {}
    const column = metric === 'spent_output_price_distribution' ? 'spent' : 'supply'
    const end = histogram?.date ?? options.end_date
    const until = end === undefined ? '' : ` WHERE date <= '${isoDate(end)}'`
    return toLines(
      `SELECT date, lower_price, upper_price, ${column}_sats / ${satsPerCoin} AS ${column}`,
      `FROM ${table('cost_basis')}`,
      'WHERE bin > 0',
      heatmap ? between && `  AND ${between}` : `  AND date = (SELECT max(date) FROM ${table('cost_basis')}${until})`,
      'ORDER BY date, bin',
    )
  }
  if (isFine(interval)) return '-- No published table has hours or rows after blocks: request them from the API'
  const ids = await requiredMetrics(options)
  const answers = await Promise.all(ids.map((id) => readFull('metrics/{metric_id}', { metric_id: id })))
  const isCycles = x_axis === 'day_offset'
  const isLong = interval !== 'day' && !isCycles
  const all = answers.flatMap(({ data }) => data)
  const metrics = all.filter(({ aggregate }) => !isLong || !isRecomputed(aggregate))
  const others = all.filter((metric) => !metrics.includes(metric)).map(({ id }) => id)
  const note =
    others.length > 0 && `-- Only the API has ${interval}s of ${others.join(', ')}, which it computes from other values`
  if (metrics.length === 0 && note) return note
  const sources = Map.groupBy(metrics, ({ table_name, cohort }) =>
    cohort === null ? table(table_name) : `${table(table_name)} WHERE cohort = '${cohort}'`,
  )
  const from = [...sources].map(([source, columns], i) => {
    const names = columns.map(({ id, column_name: name }) => (name === id ? id : `${name} AS ${id}`))
    return `(SELECT date, ${names.join(', ')} FROM ${source})${i > 0 ? ' USING (date)' : ''}`
  })
  const select = metrics.map(({ id, aggregate }) => {
    if (isCycles && indexed) return `${id} / first_value(${id}) OVER (PARTITION BY cycle ORDER BY date) AS ${id}`
    return isLong ? `${sqlAggregates[aggregate]?.(id)} AS ${id}` : id
  })
  const key = isCycles ? 'cycle, date - start_date AS day' : interval === 'day' ? 'date' : 'max(date) AS date'
  return toLines(
    note,
    formulas.length > 0 && `-- SQL has the metrics of ${formulas.map(toComment).join(' and ')}, but not the formula`,
    `SELECT ${key}, ${select.join(', ')}`,
    `FROM ${from.join('\n  FULL JOIN ')}`,
    isCycles && `JOIN ${table('cycles')} ON date BETWEEN start_date AND coalesce(end_date, date)`,
    isCycles ? `WHERE family = '${cycle_family}'` : between && `WHERE ${between}`,
    isLong && `GROUP BY date_trunc('${interval}', date)`,
    isCycles ? 'ORDER BY cycle, day' : 'ORDER BY date',
  )
}

const toComment = ({ expression }: { readonly expression: string }): string => expression.replaceAll(/\s+/g, ' ')

/** For double-quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

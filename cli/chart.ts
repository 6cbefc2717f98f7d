import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { composePublished } from '#api/charts/published-chart.ts'
import { isoDate } from '#base/days.ts'
import { CoinstrataError } from '#base/errors.ts'
import { ApiError } from '#contract/api-error.ts'
import { chartQuery } from '#contract/charts.ts'
import { toBody } from '#contract/default-chart.ts'
import type { Generations } from '#query/generations.ts'
import { parsePart } from '#query/parse-request.ts'
import { View } from '#query/view.ts'
import type { ChartSpecification } from '#render/draw/specification.ts'
import { renderFile } from '#render/output/file-renderer.ts'
import { requireFile } from '#render/output/render-task.ts'
import { ChartRequestError } from '#render/request/request-error.ts'
import { type PublishedPlace, withGenerations } from './published.ts'

export interface ChartOptions {
  readonly metric?: string
  readonly template?: string
  readonly days?: string
  readonly theme?: string
  readonly width?: string
  readonly height?: string
}

type Compose = (options: ChartOptions) => Promise<ChartSpecification>

/** Writes a `.png` or `.svg` file and returns a line about it. */
export async function writeChart(
  place: PublishedPlace,
  { output, ...options }: ChartOptions & { readonly output: string },
): Promise<string> {
  const format = parseFormat(output)
  if ((options.metric === undefined) === (options.template === undefined)) {
    const flags = options.metric === undefined ? 'neither --metric nor --template' : 'both --metric and --template'
    throw new CoinstrataError('invalid_argument', `${flags} is given`, {
      cure: 'give exactly one of them, such as --metric price',
    })
  }
  const specification = await withPublishedCharts(place, (compose) => compose(options))
  const picture = requireFile(await renderFile({ specification, format }))
  try {
    writeFileSync(output, picture)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CoinstrataError('invalid_argument', `the chart cannot be written to ${output}: ${reason}`, {
      cause,
      cure: 'choose a file in an existing folder that you can write to',
    })
  }
  return `${output}: ${specification.title}, ${describeRange(specification)}, ${specification.width}×${specification.height}\n`
}

function describeRange({ x }: ChartSpecification): string {
  const first = x.days[0]!
  const last = x.days[x.days.length - 1]!
  // Cycles of different dates overlap, and some are unfinished.
  if (x.kind === 'day_offset') return `days ${first - x.firstDay} to ${last - x.firstDay} of each cycle`
  return `${isoDate(first)} to ${isoDate(last)}`
}

/** Lets `work` compose charts of the current generation with access to all data. */
export const withPublishedCharts = <T>(place: PublishedPlace, work: (compose: Compose) => Promise<T>): Promise<T> =>
  withGenerations(place, (generations) => work((options) => composeFrom(generations, options)))

async function composeFrom(
  generations: Generations,
  { metric, template, days, theme, width, height }: ChartOptions,
): Promise<ChartSpecification> {
  try {
    const ask = toBody(parsePart(chartQuery, { metric, template, days, theme, width, height }))
    const { specification } = await generations.read((published) =>
      composePublished(new View(published, 'enterprise'), ask),
    )
    return specification
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ChartRequestError)) throw error
    const message = error.message.replace(/^parameter '(\w+)'/, '--$1')
    throw new CoinstrataError('invalid_argument', message, {
      cause: error,
      cure: 'see "coinstrata chart --help"; docs/metrics/all.md lists the metrics, docs/charts.md the templates',
    })
  }
}

function parseFormat(file: string): 'png' | 'svg' {
  const ending = path.extname(file).toLowerCase()
  if (ending === '.png') return 'png'
  if (ending === '.svg') return 'svg'
  throw new CoinstrataError('invalid_argument', `--output ${file} must end in .png or .svg`, {
    cure: 'name a file such as chart.png',
  })
}

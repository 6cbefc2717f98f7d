import { drawChartOn } from '../draw/chart.ts'
import { hasColorMarks } from '../draw/color-marks-loader.ts'
import type { Group } from '../draw/group.ts'
import type { ChartSpecification } from '../draw/specification.ts'
import { fontWidths } from './font-files.ts'

/** Counts labels of verticals and references without a document. */
class LabelCounter implements Group {
  readonly #drawn: { count: number }
  #isLabels: boolean

  constructor(drawn: { count: number }, isLabels = false) {
    this.#drawn = drawn
    this.#isLabels = isLabels
  }

  append(): LabelCounter {
    return new LabelCounter(this.#drawn, this.#isLabels)
  }

  attr(_: string, value: string | number): this {
    this.#isLabels ||= value === 'verticals' || value === 'reference-labels'
    return this
  }

  text(): this {
    if (this.#isLabels) this.#drawn.count++
    return this
  }
}

/** Verticals and references with labels, for which to count those without room takes long. */
export function countLabels(chart: ChartSpecification): number {
  const { verticals, referenceLines, referenceAreas, x, series } = chart
  const [first = 0, last = 0] = [x.days[0], x.days.at(-1)]
  const shown = verticals.filter(({ day }) => Math.round(day) >= first && Math.round(day) <= last)
  const cycles = series.filter(({ cycleStart }) => cycleStart !== undefined)
  const labelled = [...shown, ...referenceLines, ...referenceAreas, ...cycles]
  // Drawing marks of colour would take too long.
  return hasColorMarks(chart) ? 0 : labelled.filter(({ label }) => label.trim() !== '').length
}

/** Labels that have no room in the picture, if there are some. */
export function describeHiddenLabels(chart: ChartSpecification): string[] {
  const named = countLabels(chart)
  if (named === 0) return []
  const drawn = { count: 0 }
  drawChartOn(new LabelCounter(drawn), chart, { widths: fontWidths, hasFont: true, imageAddress: () => '' })
  const hidden = named - drawn.count
  return hidden > 0 ? [`${hidden} of ${named} labels of lines and areas have no room in this size.`] : []
}

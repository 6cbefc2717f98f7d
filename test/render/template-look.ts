import { expect } from 'vitest'
import { drawChartOn } from '#render/draw/chart.ts'
import type { Group } from '#render/draw/group.ts'
import { nodePlatform } from '#render/output/node-platform.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { templates } from '#render/request/templates.ts'
import { dayRange, fillTemplate, firstPriceDay } from './samples.ts'

/**
 * Texts by the class of their group, and series with marks beyond their axis, without the work of a
 * document.
 */
export class Recorder implements Group {
  readonly texts: { group: string; x: number }[]
  readonly marked: Set<string>
  readonly #name: string
  readonly #attributes = new Map<string, string | number>()
  readonly #group: string

  constructor(texts: Recorder['texts'] = [], marked = new Set<string>(), name = 'svg', group = '') {
    this.texts = texts
    this.marked = marked
    this.#name = name
    this.#group = group
  }

  append(name: string): Recorder {
    const group = String(this.#attributes.get('class') ?? this.#group)
    return new Recorder(this.texts, this.marked, name, group)
  }

  attr(name: string, value: string | number): this {
    this.#attributes.set(name, value)
    if (name === 'data-id' && this.#attributes.get('class') === 'beyond') this.marked.add(String(value))
    return this
  }

  text(): this {
    if (this.#name === 'text') this.texts.push({ group: this.#group, x: Number(this.#attributes.get('x')) })
    return this
  }
}

/**
 * Every template has three quarters of the width for its plot, its numbers next to that, end labels
 * outside them, and marks what is beyond.
 */
export function expectLook(width: number, height: number): void {
  for (const [i, [name, template]] of Object.entries(templates).entries()) {
    // Half of them with the early years, when ratios were extreme.
    const days = i % 2 === 0 ? dayRange(firstPriceDay + 4470, 1500) : dayRange(firstPriceDay + 100, 3000)
    const whole = dayRange(firstPriceDay, 5970)
    const root = new Recorder()
    const request = fillTemplate(template, template.x_axis ? whole : days)
    const { plot, series } = drawChartOn(root, buildSpecification({ ...request, width, height }), nodePlatform)
    // Rows of cells have names beside them as well as a legend of colours.
    const share = series.some(({ series }) => series.style === 'heatmap') ? 0.65 : 0.75
    expect((plot.right - plot.left) / width, name).toBeGreaterThanOrEqual(share)
    const xsOf = (group: string) => root.texts.filter((text) => text.group === group).map(({ x }) => x)
    const numbers = xsOf('ticks')
    const fromPlot = numbers.map((x) => Math.min(Math.abs(x - plot.left), Math.abs(x - plot.right)))
    if (numbers.length > 0) expect(Math.min(...fromPlot), name).toBeLessThan(13)
    for (const { scale, series: one, position } of series) {
      const isBeyond = one.values.some((_, i) => position(i) < scale.top - 4 || position(i) > scale.bottom + 4)
      const marked = series.filter(({ series: { id } }) => root.marked.has(id)).map(({ scale: { axis } }) => axis.id)
      if (isBeyond) expect(marked, `${name}: ${one.id}`).toContain(scale.axis.id)
    }
    const right = numbers.filter((x) => x > plot.right)
    const ends = xsOf('end-labels')
    if (ends.length > 0 && right.length > 0) expect(Math.min(...ends), name).toBeGreaterThan(Math.max(...right) + 10)
  }
}

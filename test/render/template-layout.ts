import { expect } from 'vitest'
import type { ChartTemplate } from '#render/request/template.ts'
import { drawPicture, layoutFaults } from './picture.ts'
import { dayRange, fillTemplate, firstPriceDay } from './samples.ts'

/** Draws a template over the last `count` days: all is there, and no text covers another. */
export function expectLayout(template: ChartTemplate, count: number, [width, height]: readonly [number, number]): void {
  const chart = fillTemplate(template, dayRange(firstPriceDay + 5970 - count, count))
  const picture = drawPicture({ ...chart, width, height })
  expect(layoutFaults(picture)).toEqual([])
  // Every series, and at least two tick labels and dates.
  expect(picture.document.querySelectorAll('.series').length).toBeGreaterThanOrEqual(chart.series.length)
  if (template.calendar || template.histogram) return
  expect(picture.texts.filter(({ group }) => group === 'ticks').length).toBeGreaterThanOrEqual(2)
  expect(picture.texts.filter(({ group }) => group === 'axis bottom').length).toBeGreaterThanOrEqual(2)
}

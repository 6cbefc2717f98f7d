import { expect, test } from 'vitest'
import { drawChartOn } from '#render/draw/chart.ts'
import { nodePlatform } from '#render/output/node-platform.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { templates } from '#render/request/templates.ts'
import { dayRange, fillTemplate, firstPriceDay } from '../samples.ts'
import { expectLook, Recorder } from '../template-look.ts'

test('every template has three quarters of the width for its plot, its numbers next to that, end labels outside them, and marks what is beyond', () => {
  expectLook(1200, 600)
})

test('what has no room at the end of a series is in the legend: its name, then its value', () => {
  const count = (name: 'mvrv_ratio' | 'mvrv_cycles', width: number, height: number) => {
    const root = new Recorder()
    const request = fillTemplate(templates[name]!, dayRange(firstPriceDay, 5970))
    drawChartOn(root, buildSpecification({ ...request, width, height }), nodePlatform)
    return root.texts.filter(({ group }) => group === 'legend').length
  }
  expect([count('mvrv_ratio', 1200, 600), count('mvrv_ratio', 600, 1000)]).toEqual([2, 4])
  // Cycles end at different places: they have no last values.
  expect(count('mvrv_cycles', 600, 1000)).toBe(4)
})

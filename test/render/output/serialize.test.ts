import { JSDOM } from 'jsdom'
import { expect, test } from 'vitest'
import { drawChart } from '#render/draw/chart.ts'
import { nodePlatform, serializeSvg } from '#render/output/node-platform.ts'
import { buildSpecification } from '#render/request/specification-builder.ts'
import { templates } from '#render/request/templates.ts'
import { dayRange, fillTemplate, firstPriceDay } from '../samples.ts'

const { window } = new JSDOM()
const chart = buildSpecification({
  ...fillTemplate(templates.price_models!, dayRange(firstPriceDay + 4000, 30)),
  title: `R&D < "ten" > 'nine' ${'\u20bf'} &amp; ]]>`,
})

test('a serialized chart is what an XML parser reads as the same elements, attributes and texts', () => {
  const { svg } = drawChart(chart, nodePlatform)
  const text = serializeSvg(svg)
  const read = new window.DOMParser().parseFromString(text, 'image/svg+xml').documentElement
  const written = (root: Element) => new window.XMLSerializer().serializeToString(root)
  expect(read.querySelector('title')?.textContent).toBe(chart.title)
  expect(written(read)).toBe(written(svg))
})

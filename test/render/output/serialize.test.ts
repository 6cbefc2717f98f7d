import { JSDOM } from 'jsdom'
import { expect, test } from 'vitest'
import { drawChart, drawChartOn } from '#render/draw/chart.ts'
import { nodePlatform } from '#render/output/node-platform.ts'
import { ElementGroup } from '#render/page/element-group.ts'
import { composeChart } from '#render/request/compose.ts'
import { templates } from '#render/request/templates.ts'
import { dayRange, fillTemplate, firstPriceDay } from '../samples.ts'

const { window } = new JSDOM()
const chart = composeChart({
  ...fillTemplate(templates.price_models!, dayRange(firstPriceDay + 4000, 30)),
  title: `R&D < "ten" > 'nine' ${'\u20bf'} &amp; ]]>`,
})

test('a serialized chart is what an XML parser reads as the same elements, attributes and texts', () => {
  const text = drawChart(chart, nodePlatform).svg.toString()
  const svg = window.document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  drawChartOn(new ElementGroup(svg), chart, nodePlatform)
  const read = new window.DOMParser().parseFromString(text, 'image/svg+xml').documentElement
  const written = (root: Element) => new window.XMLSerializer().serializeToString(root)
  expect(read.querySelector('title')?.textContent).toBe(chart.title)
  expect(written(read)).toBe(written(svg))
})

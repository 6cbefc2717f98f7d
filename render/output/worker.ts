import { drawChart } from '../draw/chart.ts'
import type { ChartSpecification } from '../draw/specification.ts'
import { nodePlatform, serializeSvg } from './node-platform.ts'
import { convertToPng } from './png.ts'

export type RenderFormat = 'svg' | 'png'

export interface RenderTask {
  readonly specification: ChartSpecification
  readonly format: RenderFormat
}

/** What a render thread does: one chart, as the bytes of a file. */
export default async function render({ specification, format }: RenderTask): Promise<Uint8Array> {
  const svg = serializeSvg(drawChart(specification, nodePlatform).svg)
  return format === 'svg' ? Buffer.from(svg) : convertToPng(svg, specification.pixelRatio)
}

import { drawChart } from '../draw/chart.ts'
import { nodePlatform, serializeSvg } from './node-platform.ts'
import { convertToPng } from './png.ts'
import type { RenderTask } from './pool.ts'

/** What a render thread does: one chart, as the bytes of a file. */
export default async function render({ specification, format }: RenderTask): Promise<Uint8Array> {
  const svg = serializeSvg(drawChart(specification, nodePlatform))
  return format === 'svg' ? Buffer.from(svg) : convertToPng(svg)
}

import type { ChartSpecification } from '../draw/specification.ts'

/** What the API answers to `format=spec`. */
export interface ChartResponse {
  readonly specification: ChartSpecification
  readonly generation: string
  readonly simulated?: true
  /** The caller's history begins on this date, which makes a difference to the chart. */
  readonly history_limited_to?: string
  readonly render_id: string
  readonly png_url: string
  readonly svg_url: string
}

/** Reads an answer to `format=spec`, with its columns as arrays. */
export function readChartResponse(text: string): ChartResponse {
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if ('float64' in value && typeof value.float64 === 'string') return new Float64Array(decodeBase64(value.float64))
    return 'int32' in value && typeof value.int32 === 'string' ? new Int32Array(decodeBase64(value.int32)) : value
  })
}

/** Browsers run on little-endian machines. */
function decodeBase64(base64: string): ArrayBuffer {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes.buffer
}

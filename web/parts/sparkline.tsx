import { line } from 'd3-shape'

export function Sparkline({ values }: { readonly values: Float64Array }) {
  const known = values.filter((value) => !Number.isNaN(value))
  if (known.length < 2) return <svg class="sparkline" viewBox="0 0 200 36" aria-hidden="true" />
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const path = line<number>(
    (_, i) => (200 * i) / (values.length - 1),
    (value) => 33 - (30 * (value - low)) / (high - low || 1),
  )
    .defined((value) => !Number.isNaN(value))
    .digits(1)
  return (
    <svg class="sparkline" viewBox="0 0 200 36" preserveAspectRatio="none" aria-hidden="true">
      <path d={path(values) ?? ''} />
    </svg>
  )
}

export function Sparkline({ values }: { readonly values: Float64Array }) {
  const known = values.filter((value) => !Number.isNaN(value))
  if (known.length < 2) return <svg class="sparkline" viewBox="0 0 200 36" aria-hidden="true" />
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const y = (value: number): string => (33 - (30 * (value - low)) / (high - low || 1)).toFixed(1)
  let path = ''
  let isOpen = false
  values.forEach((value, i) => {
    if (Number.isNaN(value)) isOpen = false
    else {
      path += `${isOpen ? 'L' : 'M'}${((200 * i) / (values.length - 1)).toFixed(1)} ${y(value)}`
      isOpen = true
    }
  })
  return (
    <svg class="sparkline" viewBox="0 0 200 36" preserveAspectRatio="none" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

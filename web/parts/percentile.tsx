/** Where a value lies in its history: a tick on a hairline, from least to greatest. */
export function PercentileLine({ percentile }: { readonly percentile: number }) {
  return (
    <svg class="percentile" viewBox="0 0 200 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="line" y="4" width="200" height="2" />
      <rect class="tick" x={Math.min(198, Math.max(0, 2 * percentile - 1))} width="2" height="10" />
    </svg>
  )
}

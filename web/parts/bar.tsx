export function Bar({ share }: { readonly share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="whole" width="100" height="4" />
      <rect class="part" width={Math.max(0, Math.min(100, 100 * share))} height="4" />
    </svg>
  )
}

/** Three strata. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 16" aria-hidden="true">
      <rect class="one" width="20" height="4" rx="1" />
      <rect class="two" y="6" width="20" height="4" rx="1" />
      <rect class="three" y="12" width="20" height="4" rx="1" />
    </svg>
  )
}

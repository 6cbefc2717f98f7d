/** Keeps the content's height, so that nothing jumps. */
export function Waiting({ lines }: { readonly lines: number }) {
  return (
    <div class="waiting" role="status">
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} />
      ))}
    </div>
  )
}

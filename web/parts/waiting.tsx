/** Lines of the height of what is to come, so that nothing jumps when it is here. */
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

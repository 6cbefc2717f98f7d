import { SlowNote } from './slow-note.tsx'

/** Keeps the content's height, so that nothing jumps. */
export function Waiting({ lines }: { readonly lines: number }) {
  return (
    <div class="waiting">
      <span class="hidden" role="status">
        Loading
      </span>
      <SlowNote />
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="line" />
      ))}
    </div>
  )
}

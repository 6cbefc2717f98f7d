import { explain } from '../data/failure.ts'

/** An error where the data would be: what is wrong, what to do, and a way to try again. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { message: what, cure } = explain(error)
  return (
    <div class="failed" role="alert">
      <p>{what}</p>
      <p class="muted">{cure}</p>
      {retry && (
        <button type="button" class="pill" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

import { explain } from '../data/failure.ts'

/** Explains an error in place of the data. */
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

import { explain } from '../data/failure.ts'
import { Button } from './button.tsx'

export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { message: what, cure } = explain(error)
  return (
    <div class="failed" role="alert">
      <p>{what}</p>
      <p class="muted">{cure}</p>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

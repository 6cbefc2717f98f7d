import { formatDate } from './keys.tsx'

/** What a row of a list is called, and when it was made. */
export const RowTitle = ({ name, at }: { readonly name: string; readonly at: string }) => (
  <div>
    <h3>{name}</h3>
    <p class="muted">made {formatDate(at)}</p>
  </div>
)

import type { ComponentChildren } from 'preact'
import { type Account, type ActionName, type ActionRow, act } from '../../data/accounts.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'

interface RowListProps<Name extends ActionName> {
  readonly id: string
  readonly title: string
  readonly remark: string
  readonly account: Account
  readonly action: Name
  readonly children: (row: ActionRow<Name>, again: () => void) => ComponentChildren
}

/** Hidden if there are no rows. `again` reloads them. */
export function RowList<Name extends ActionName>({ id, title, remark, account, action, children }: RowListProps<Name>) {
  const { value: rows, error, retry } = useAnswer(() => act(action), [account.email])
  if (error !== undefined && !rows) return <Failed error={error} retry={retry} />
  if (!rows || rows.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="muted">{remark}</p>
      <ul class={`rows ${id}`}>{rows.map((row) => children(row, retry))}</ul>
    </section>
  )
}

export const RowTitle = ({ name, at }: { readonly name: string; readonly at: string }) => (
  <div>
    <h3>{name}</h3>
    <p class="muted">made {formatDate(at)}</p>
  </div>
)

export const formatDate = (instant: string): string =>
  new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

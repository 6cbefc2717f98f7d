import type { ComponentChildren } from 'preact'
import { type Account, type ActionName, type ActionRow, act } from '../../data/accounts.ts'
import { useAnswer } from '../../parts/use-answer.tsx'

interface RowListProps<Name extends ActionName> {
  readonly id: string
  readonly title: string
  readonly remark: string
  readonly account: Account
  readonly action: Name
  readonly children: (row: ActionRow<Name>, again: () => void) => ComponentChildren
}

/** Hidden without rows. `again` reloads them. */
export function RowList<Name extends ActionName>({ id, title, remark, account, action, children }: RowListProps<Name>) {
  const { value: rows, retry, failure } = useAnswer(() => act(action), [account.email])
  if (failure) return failure
  if (!rows || rows.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="muted">{remark}</p>
      <ul class={`rows ${id}`}>{rows.map((row) => children(row, retry))}</ul>
    </section>
  )
}

export const RowTitle = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <h3>{name}</h3>
    <p class="muted">{children}</p>
  </div>
)

export const formatDate = (instant: string): string =>
  new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

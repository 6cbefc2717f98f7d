import type { ComponentChildren } from 'preact'

/** Where a service has no accounts: that it needs none. */
export function NoAccounts({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="narrow">
      <h1>{title}</h1>
      <p>Everything is open to everyone who reaches this service (ACCESS=open). {children}</p>
    </div>
  )
}

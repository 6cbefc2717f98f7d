import type { ComponentChildren } from 'preact'

export function NoAccounts({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="narrow">
      <h1>{title}</h1>
      <p>Everything is open to everyone who reaches this service (ACCESS=open). {children}</p>
    </div>
  )
}

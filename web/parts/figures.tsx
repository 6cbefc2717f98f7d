import type { ComponentChildren } from 'preact'

export interface Figure {
  readonly name: ComponentChildren
  /** Defaults to `name`, which must be a text then. */
  readonly key?: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
}

export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ name, key = String(name), value, note }) => (
        <div key={key}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note !== undefined && <dd class="note">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}

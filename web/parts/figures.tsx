import type { ComponentChildren } from 'preact'

/** A number with its name, and what is to be said of it. */
export interface Figure {
  readonly name: ComponentChildren
  /** Without it the name, which is a text then. */
  readonly key?: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
}

/** A few numbers side by side, parted by space. */
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

import type { ComponentChildren } from 'preact'

export type Fact = readonly [name: ComponentChildren, fact: ComponentChildren, note?: ComponentChildren]

interface FactsProps {
  readonly class?: 'facts' | 'figures'
  readonly facts: readonly Fact[]
}

export const Facts = ({ class: name = 'facts', facts }: FactsProps) => (
  <dl class={name}>
    {facts.map(([term, fact, note], i) => (
      <div key={i}>
        <dt>{term}</dt>
        <dd>{fact}</dd>
        {note !== undefined && <dd class="note">{note}</dd>}
      </div>
    ))}
  </dl>
)

import type { ComponentChildren } from 'preact'

export const Facts = ({
  facts,
}: {
  readonly facts: readonly (readonly [name: ComponentChildren, fact: ComponentChildren])[]
}) => (
  <dl class="facts">
    {facts.map(([name, fact], i) => (
      <div key={i}>
        <dt>{name}</dt>
        <dd>{fact}</dd>
      </div>
    ))}
  </dl>
)

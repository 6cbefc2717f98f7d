import { toHref, withQuery } from '../app/router.ts'

interface PillNavProps {
  readonly label: string
  /** Query parameter; the first choice leaves it out. */
  readonly parameter: string
  readonly chosen: string
  readonly choices: readonly { readonly id: string; readonly name: string }[]
  readonly class?: string
}

export function PillNav({ label, parameter, chosen, choices, class: name }: PillNavProps) {
  return (
    <nav class={name ? `pills ${name}` : 'pills'} aria-label={label}>
      {choices.map((choice, i) => (
        <a
          key={choice.id}
          class="pill"
          href={toHref(withQuery({ [parameter]: i === 0 ? undefined : choice.id }))}
          aria-current={choice.id === chosen ? 'true' : undefined}
        >
          {choice.name}
        </a>
      ))}
    </nav>
  )
}

import type { ComponentChildren } from 'preact'

interface CodeProps {
  readonly class?: string
  readonly children: ComponentChildren
}

/** Code as it is, which scrolls sideways where it is wide. */
export function Code({ class: name, children }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keys
    <pre class={name} tabIndex={0}>
      {children}
    </pre>
  )
}

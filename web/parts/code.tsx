import type { ComponentChildren } from 'preact'
import { CopyButton } from './copy-button.tsx'

interface CodeProps {
  readonly class?: string
  readonly children: ComponentChildren
}

/** Scrolls sideways. */
export function Code({ class: name, children }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keys
    <pre class={name} tabIndex={0}>
      {children}
    </pre>
  )
}

interface SnippetProps {
  readonly title?: ComponentChildren
  readonly text: string
  readonly children?: ComponentChildren
}

export function Snippet({ title, text, children }: SnippetProps) {
  return (
    <div class="snippet">
      {title !== undefined && <h3>{title}</h3>}
      <CopyButton text={text} />
      <Code>{text}</Code>
      {children}
    </div>
  )
}

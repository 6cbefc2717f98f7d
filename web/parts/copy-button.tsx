import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

interface CopyButtonProps {
  readonly text: string | (() => string)
  readonly children?: string
}

export function CopyButton({ text, children = 'Copy' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<string>()
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setOutcome('Copied')
    } catch {
      // Without https, or if the reader denies access.
      setOutcome('Could not copy')
    }
    setTimeout(() => setOutcome(undefined), 2_000)
  }
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{outcome ?? children}</span>
    </Button>
  )
}

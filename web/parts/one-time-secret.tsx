import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

interface OneTimeSecretProps {
  readonly title: string
  readonly remark?: string
  readonly secret: string
  readonly copyLabel: string
  readonly command?: string
  readonly onClose: () => void
}

export function OneTimeSecret({ title, remark, secret, copyLabel, command, onClose }: OneTimeSecretProps) {
  return (
    <div class="made" role="status">
      <p>
        <b>{title}</b> Copy it now: it is not shown again. {remark}
      </p>
      <pre class="secret">{secret}</pre>
      {command && <pre>{command}</pre>}
      <div class="actions">
        <CopyButton text={secret}>{copyLabel}</CopyButton>
        {command && <CopyButton text={command}>Copy as curl</CopyButton>}
        <Button onClick={onClose}>I have saved it</Button>
      </div>
    </div>
  )
}

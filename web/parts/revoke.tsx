import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Problem } from './form.tsx'

interface RevokeProps {
  readonly name: string
  readonly verb?: string
  readonly onRevoke: () => Promise<unknown>
}

/** A button that asks again before it ends something. */
export function Revoke({ name, verb = 'Revoke', onRevoke }: RevokeProps) {
  const [isAsking, setAsking] = useState(false)
  const [error, setError] = useState<unknown>()
  return (
    <>
      <div class="actions">
        {isAsking ? (
          <>
            <Button class="danger" onClick={() => void onRevoke().catch(setError)}>
              {verb} permanently
            </Button>
            <Button onClick={() => setAsking(false)}>Keep</Button>
          </>
        ) : (
          <Button onClick={() => setAsking(true)}>
            {verb}
            <span class="hidden"> {name}</span>
          </Button>
        )}
      </div>
      {error !== undefined && <Problem error={error} />}
    </>
  )
}

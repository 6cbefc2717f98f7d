import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/form.tsx'

interface RevokeProps {
  readonly name: string
  readonly onRevoke: () => Promise<unknown>
}

export function Revoke({ name, onRevoke }: RevokeProps) {
  const [isAsking, setAsking] = useState(false)
  const [error, setError] = useState<unknown>()
  return (
    <>
      <div class="actions">
        {isAsking ? (
          <>
            <Button class="danger" onClick={() => void onRevoke().catch(setError)}>
              Revoke permanently
            </Button>
            <Button onClick={() => setAsking(false)}>Keep</Button>
          </>
        ) : (
          <Button onClick={() => setAsking(true)}>
            Revoke<span class="hidden"> {name}</span>
          </Button>
        )}
      </div>
      {error !== undefined && <Problem error={error} />}
    </>
  )
}

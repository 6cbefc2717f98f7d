import { useState } from 'preact/hooks'
import { Problem } from '../../parts/form.tsx'

interface RevokeProps {
  readonly name: string
  readonly onRevoke: () => Promise<unknown>
}

/** A button that asks before it revokes. */
export function Revoke({ name, onRevoke }: RevokeProps) {
  const [isAsking, setAsking] = useState(false)
  const [error, setError] = useState<unknown>()
  return (
    <>
      <div class="actions">
        {isAsking ? (
          <>
            <button type="button" class="pill danger" onClick={() => void onRevoke().catch(setError)}>
              Revoke permanently
            </button>
            <button type="button" class="pill" onClick={() => setAsking(false)}>
              Keep
            </button>
          </>
        ) : (
          <button type="button" class="pill" onClick={() => setAsking(true)}>
            Revoke<span class="hidden"> {name}</span>
          </button>
        )}
      </div>
      {error !== undefined && <Problem error={error} />}
    </>
  )
}

import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Problem } from './form.tsx'
import { useAttempt } from './use-attempt.ts'

interface RevokeProps {
  readonly name: string
  readonly verb?: string
  readonly onRevoke: () => Promise<unknown>
}

/** Asks again before it ends something. */
export function Revoke({ name, verb = 'Revoke', onRevoke }: RevokeProps) {
  const [isAsking, setAsking] = useState(false)
  const { problem, attempt } = useAttempt()
  return (
    <>
      <div class="actions">
        {isAsking ? (
          <>
            <Button class="danger" onClick={() => void attempt(onRevoke)}>
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
      <Problem text={problem} />
    </>
  )
}

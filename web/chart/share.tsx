import type { FunctionComponent } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { useAttempt } from '../parts/use-attempt.ts'
import type { ShareProps } from './chart-options.ts'

export function Share(props: ShareProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [loaded, setLoaded] = useState<{ readonly Choices: FunctionComponent<ShareProps> }>()
  const { problem, attempt } = useAttempt()
  const [isOpen, setOpen] = useState(false)
  const open = (): void => {
    setOpen(true)
    dialog.current?.showModal()
    void attempt(async () => setLoaded({ Choices: (await import('./share-choices.tsx')).ShareChoices }))
  }
  return (
    <>
      <Button class="share-opener" aria-haspopup="dialog" onClick={open}>
        Save or share
      </Button>
      <dialog ref={dialog} class="share" aria-label="Save or share" onClose={() => setOpen(false)}>
        {isOpen && (
          <>
            <h2>{props.title}</h2>
            {loaded && <loaded.Choices {...props} />}
            {problem && <p role="alert">{problem}</p>}
            <form method="dialog">
              <button type="submit" class="pill">
                Close
              </button>
            </form>
          </>
        )}
      </dialog>
    </>
  )
}

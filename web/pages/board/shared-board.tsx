import { useTitle } from '../../app/title.ts'
import { act } from '../../data/accounts.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { PinnedChart } from './pinned-chart.tsx'

/** A board that somebody shares, as far as the reader's own rights go. */
export function SharedBoard({ share }: { readonly share: string }) {
  const { value, error, retry } = useAnswer(() => act('GET /v1/boards/{share}', { id: share }), [share])
  const [board] = value ?? []
  const title = board?.title || 'Shared board'
  useTitle(title)
  return (
    <>
      <h1>{title}</h1>
      {error !== undefined && !board && <Failed error={error} retry={retry} />}
      {board?.charts.length === 0 && <p class="muted">This board is empty.</p>}
      <ul class="board">
        {board?.charts.map((chart) => (
          <li key={chart.address}>
            <PinnedChart chart={chart} />
          </li>
        ))}
      </ul>
    </>
  )
}

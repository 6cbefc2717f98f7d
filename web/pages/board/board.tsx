import { route } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { account, act } from '../../data/accounts.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { OwnBoardPage } from './own-board.tsx'
import { PinnedChart } from './pinned-chart.tsx'

/** The reader's board, or the shared one in the address. */
export function BoardPage() {
  const share = route.value.query.get('shared')
  return share === null ? <OwnBoardPage key={account.value?.email} /> : <SharedBoard key={share} share={share} />
}

/** Shows what the reader's own access allows. */
function SharedBoard({ share }: { readonly share: string }) {
  const { value, failure } = useAnswer(() => act('GET /v1/boards/{share}', { id: share }), [share])
  const [board] = value ?? []
  const title = board?.title || 'Shared board'
  useTitle(title)
  return (
    <>
      <h1>{title}</h1>
      {failure}
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

import { route } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { account, act } from '../../data/accounts.ts'
import { maxBoardCharts, parseBoard } from '../../data/boards.ts'
import { unpack } from '../../data/url-codec.ts'
import { useAnswer } from '../../parts/use-answer.tsx'
import { OwnBoardPage } from './own-board.tsx'
import { BoardRanges, PinnedChart } from './pinned-chart.tsx'

/** The reader's board, or the shared one in the address. */
export function BoardPage() {
  const { query, hash } = route.value
  const share = query.get('shared') ?? ''
  if (share === '' && hash === '') return <OwnBoardPage key={account.value?.email} />
  return <SharedBoard key={share + hash} share={share} packed={hash} />
}

/** Shows what the reader's own access allows; `packed` is a board without an account. */
function SharedBoard({ share, packed }: { readonly share: string; readonly packed: string }) {
  const { value: board, failure } = useAnswer(
    async () =>
      share === ''
        ? parseBoard(JSON.stringify(await unpack(packed)) ?? null)
        : (await act('GET /v1/boards/{share}', { id: share }))[0],
    [share, packed],
  )
  const title = board?.title || 'Shared board'
  useTitle(title)
  return (
    <>
      <h1>{title}</h1>
      {failure}
      {board?.charts.length === 0 && <p class="muted">This board is empty, or its address was cut off.</p>}
      {board && board.charts.length > 1 && <BoardRanges />}
      <ul class="board">
        {/* Anybody can write such a link. */}
        {board?.charts.slice(0, maxBoardCharts).map((chart) => (
          <li key={chart.address}>
            <PinnedChart chart={chart} />
          </li>
        ))}
      </ul>
    </>
  )
}

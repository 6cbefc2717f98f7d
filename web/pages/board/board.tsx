import { route } from '../../app/router.ts'
import { account } from '../../data/accounts.ts'
import { OwnBoardPage } from './own-board.tsx'
import { SharedBoard } from './shared-board.tsx'

/** The charts that the reader pinned, or those that somebody shares by the address. */
export function BoardPage() {
  const share = route.value.query.get('shared')
  return share === null ? <OwnBoardPage key={account.value?.email} /> : <SharedBoard key={share} share={share} />
}

import type { BoardContent } from '#contract/accounts/board.ts'
import { account, act, readAccount } from './accounts.ts'

/** A chart on a board: what it is called, and the address of the page that shows it. */
export type BoardChart = BoardContent['charts'][number]
/** The board of the reader; `share` is what others see it by. */
export interface OwnBoard extends BoardContent {
  readonly share: string | null
}

/** What the API keeps at most. */
export const maxBoardCharts = 50
const maxAddressLength = 2_000
const storageKey = 'board'
const empty: BoardContent = { title: '', charts: [] }

/**
 * The board of who is signed in, or else that of this browser. What was pinned here before signing in joins the account's.
 * Throws `RequestFailure`.
 */
export async function readBoard(): Promise<OwnBoard> {
  const local = parseBoard(localStorage.getItem(storageKey))
  if (!(await isSignedIn())) return { ...local, share: null }
  const [own] = await act('GET /v1/board')
  if (!own || local.charts.length === 0) return own ?? { ...empty, share: null }
  const { joined: merged, left: rest } = mergeBoards(own, local)
  const [written] = await act('POST /v1/board', { body: merged })
  if (rest.length > 0) localStorage.setItem(storageKey, JSON.stringify({ ...local, charts: rest }))
  else localStorage.removeItem(storageKey)
  return written ?? { ...merged, share: own.share }
}

/** To the other tabs of this browser. What one of them keeps in it may reach the others later than what it says. */
const channel = new BroadcastChannel(storageKey)
/** Told what another tab has made of the board; returns what ends that. */
export function onBoardChange(listener: (board: OwnBoard) => void): () => void {
  const listen = ({ data }: MessageEvent<OwnBoard>): void => listener(data)
  channel.addEventListener('message', listen)
  return () => channel.removeEventListener('message', listen)
}

let queue: Promise<unknown> = Promise.resolve()

/**
 * Changes the board and keeps it where `readBoard` finds it: the newest one, which another tab or machine may have changed since it was
 * shown here. One change after the other. Throws `RequestFailure`, and what `change` throws.
 */
export function changeBoard(change: (board: BoardContent) => BoardContent): Promise<OwnBoard> {
  const changed = queue.then(async () => {
    const board = await readBoard()
    const { title, charts } = change(board)
    if (await isSignedIn()) await act('POST /v1/board', { body: { title, charts } })
    else localStorage.setItem(storageKey, JSON.stringify({ title, charts }))
    const changed = { ...board, title, charts }
    channel.postMessage(changed)
    return changed
  })
  queue = changed.catch(() => undefined)
  return changed
}

/** Puts a chart at the end of the board, unless it is there. Throws `RequestFailure`, and an error for what does not fit. */
export async function pinChart(chart: BoardChart): Promise<void> {
  if (chart.address.length > maxAddressLength) throw new Error('This chart has too many parts for a board.')
  await changeBoard((board) => {
    if (board.charts.some(({ address }) => address === chart.address)) return board
    if (board.charts.length >= maxBoardCharts)
      throw new Error(`A board holds ${maxBoardCharts} charts: remove one first.`)
    return { ...board, charts: [...board.charts, chart] }
  })
}

/** Charts with that of an address at another place; as they are where it is not among them. */
export function moveChart(charts: readonly BoardChart[], address: string, to: number): BoardChart[] {
  const from = charts.findIndex((one) => one.address === address)
  return charts[from] ? charts.toSpliced(from, 1).toSpliced(to, 0, charts[from]) : [...charts]
}

/** A board with the charts of another after its own, each once; `left` are those that it cannot hold. */
export function mergeBoards(
  own: BoardContent,
  other: BoardContent,
): { readonly joined: BoardContent; readonly left: BoardChart[] } {
  const known = new Set(own.charts.map(({ address }) => address))
  const added = other.charts.filter(({ address }) => !known.has(address))
  const free = Math.max(0, maxBoardCharts - own.charts.length)
  return {
    joined: { title: own.title || other.title, charts: [...own.charts, ...added.slice(0, free)] },
    left: added.slice(free),
  }
}

async function isSignedIn(): Promise<boolean> {
  if (account.value === undefined) await readAccount()
  return account.value !== null
}

/** What a browser kept, as far as it is whole. */
export function parseBoard(text: string | null): BoardContent {
  try {
    const { title, charts }: Partial<Record<string, unknown>> = JSON.parse(text ?? '{}')
    return {
      title: typeof title === 'string' ? title : '',
      charts: Array.isArray(charts) ? charts.filter(isBoardChart) : [],
    }
  } catch {
    return empty
  }
}

const isBoardChart = (value: Partial<BoardChart> | null): value is BoardChart =>
  typeof value?.title === 'string' && typeof value.address === 'string' && /^\/(?![/\\])/.test(value.address)

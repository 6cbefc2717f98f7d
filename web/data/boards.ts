import { createSerialQueue } from '#base/serial-queue.ts'
import type { BoardContent } from '#contract/accounts/board.ts'
import { account, act, readAccount } from './accounts.ts'

export type BoardChart = BoardContent['charts'][number]
/** `share` is the id of the public link. */
export interface OwnBoard extends BoardContent {
  readonly share: string | null
}

/** Limits of the API. */
export const maxBoardCharts = 50
const maxAddressLength = 2_000
const storageKey = 'board'
const empty: BoardContent = { title: '', charts: [] }

/**
 * The account's board, or this browser's if signed out. After sign-in, this browser's charts move
 * to the account.
 */
export async function readBoard(): Promise<OwnBoard> {
  const local = parseBoard(localStorage.getItem(storageKey))
  if (!(await isSignedIn())) return { ...local, share: null }
  const [own] = await act('GET /v1/board')
  if (!own || local.charts.length === 0) return own ?? { ...empty, share: null }
  const { merged, rest } = mergeBoards(own, local)
  const [written] = await act('POST /v1/board', { body: merged })
  if (rest.length > 0) localStorage.setItem(storageKey, JSON.stringify({ ...local, charts: rest }))
  else localStorage.removeItem(storageKey)
  return written ?? { ...merged, share: own.share }
}

/** Other tabs may see the storage change later than this message. */
const channel = new BroadcastChannel(storageKey)
/** Returns a function that stops it. */
export function onBoardChange(listener: (board: OwnBoard) => void): () => void {
  const listen = ({ data }: MessageEvent<OwnBoard>): void => listener(data)
  channel.addEventListener('message', listen)
  return () => channel.removeEventListener('message', listen)
}

const inTurn = createSerialQueue()

/**
 * Changes the newest stored board, which another tab or device may have written. Changes run one
 * after another.
 */
export const changeBoard = (change: (board: BoardContent) => BoardContent): Promise<OwnBoard> =>
  inTurn(async () => {
    const board = await readBoard()
    const { title, charts } = change(board)
    if (await isSignedIn()) await act('POST /v1/board', { body: { title, charts } })
    else localStorage.setItem(storageKey, JSON.stringify({ title, charts }))
    const changed = { ...board, title, charts }
    channel.postMessage(changed)
    return changed
  })

/** Does nothing if the chart is on the board. */
export async function pinChart(chart: BoardChart): Promise<void> {
  if (chart.address.length > maxAddressLength) throw new Error('This chart has too many parts for a board.')
  await changeBoard((board) => {
    if (board.charts.some(({ address }) => address === chart.address)) return board
    if (board.charts.length >= maxBoardCharts)
      throw new Error(`A board holds ${maxBoardCharts} charts: remove one first.`)
    return { ...board, charts: [...board.charts, chart] }
  })
}

/** Returns the charts unchanged if none has this address. */
export function moveChart(charts: readonly BoardChart[], address: string, to: number): BoardChart[] {
  const from = charts.findIndex((one) => one.address === address)
  return charts[from] ? charts.toSpliced(from, 1).toSpliced(to, 0, charts[from]) : [...charts]
}

/** Appends the charts of `other` without duplicates; `rest` are those that do not fit. */
export function mergeBoards(
  own: BoardContent,
  other: BoardContent,
): { readonly merged: BoardContent; readonly rest: BoardChart[] } {
  const known = new Set(own.charts.map(({ address }) => address))
  const added = other.charts.filter(({ address }) => !known.has(address))
  const free = Math.max(0, maxBoardCharts - own.charts.length)
  return {
    merged: { title: own.title || other.title, charts: [...own.charts, ...added.slice(0, free)] },
    rest: added.slice(free),
  }
}

async function isSignedIn(): Promise<boolean> {
  if (account.value === undefined) await readAccount()
  return account.value !== null
}

/** Drops invalid parts. */
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

/** Without white space, which browsers drop: `/<tab>/example.org` leads to another site. */
const isBoardChart = (value: Partial<BoardChart> | null): value is BoardChart =>
  typeof value?.title === 'string' &&
  typeof value.address === 'string' &&
  /^\/(?![/\\])[\x21-\x7e]*$/.test(value.address)

import { useEffect, useRef, useState } from 'preact/hooks'
import { pathTo, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { access, account, act } from '../../data/accounts.ts'
import { type BoardChart, changeBoard, moveChart, type OwnBoard, onBoardChange, readBoard } from '../../data/boards.ts'
import { pack } from '../../data/url-codec.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Field, Form, Problem } from '../../parts/form.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { useReorder } from '../../parts/use-reorder.ts'
import { BoardRanges, PinnedChart } from './pinned-chart.tsx'

const SavedCharts = lazy(async () => (await import('../workbench/saved-charts.tsx')).SavedCharts)

export function OwnBoardPage() {
  const { value, failure } = useAnswer(readBoard, [])
  const [changed, setChanged] = useState<OwnBoard>()
  const board = changed ?? value
  useEffect(() => onBoardChange(setChanged), [])
  const title = board?.title || 'Board'
  useTitle(title)
  return (
    <>
      <h1>{title}</h1>
      {!board && failure}
      {board && <Charts board={board} onBoard={setChanged} />}
      {board && account.value && <Sharing board={board} onBoard={setChanged} />}
      {board && account.value === null && (
        <p class="muted">
          This board is stored in this browser. {board.charts.length > 0 && <CopyLink board={board} />}
          {access.value?.access === 'tiered' && (
            <>
              {' '}
              <a href={toHref('/account')}>Sign in</a> to have it elsewhere and to share it.
            </>
          )}
        </p>
      )}
      <SavedCharts />
    </>
  )
}

/** The link holds the charts, because no account stores them. */
function CopyLink({ board: { title, charts } }: Pick<BoardProps, 'board'>) {
  const packed = useAnswer(() => pack({ title, charts }), [title, charts]).value
  return packed && <CopyButton text={() => `${location.href.split('#')[0]}#${packed}`}>Copy a link to it</CopyButton>
}

interface BoardProps {
  readonly board: OwnBoard
  readonly onBoard: (board: OwnBoard) => void
}

function Charts({ board, onBoard }: BoardProps) {
  const { charts } = board
  const [removed, setRemoved] = useState<{ readonly chart: BoardChart; readonly place: number }>()
  const [announcement, setAnnouncement] = useState('')
  const { problem, attempt } = useAttempt()
  const list = useRef<HTMLOListElement>(null)
  /** Selector of the button to focus: moving an element loses its focus. */
  const nextFocus = useRef<string>(undefined)
  useEffect(() => {
    if (nextFocus.current === undefined) return
    const buttons = list.current?.parentElement?.querySelectorAll<HTMLButtonElement>(nextFocus.current) ?? []
    ;[...buttons].find(({ disabled }) => !disabled)?.focus()
    nextFocus.current = undefined
  })

  /** Newest change; results of earlier ones are ignored. */
  const newest = useRef(0)
  /** Shows a change at once; reverts it if storing fails. */
  const write = (change: (charts: readonly BoardChart[]) => BoardChart[]): void => {
    onBoard({ ...board, charts: change(charts) })
    const turn = ++newest.current
    void attempt(async () => {
      try {
        const stored = await changeBoard((newer) => ({ ...newer, charts: change(newer.charts) }))
        if (turn === newest.current) onBoard(stored)
      } catch (error) {
        onBoard(board)
        throw error
      }
    })
  }
  const move = (from: number, to: number): void => {
    const chart = charts[from]
    if (!chart || to < 0 || to >= charts.length || to === from) return
    setRemoved(undefined)
    setAnnouncement(`${chart.title} is number ${to + 1} of ${charts.length} now.`)
    write((all) => moveChart(all, chart.address, to))
  }
  const { handle, itemTransform, dragged } = useReorder(
    () => [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])],
    move,
  )
  const step = (from: number, by: 1 | -1): void => {
    const [wanted, other] = by < 0 ? ['earlier', 'later'] : ['later', 'earlier']
    const item = `li:nth-child(${from + by + 1})`
    nextFocus.current = `${item} .${wanted}:enabled, ${item} .${other}`
    move(from, from + by)
  }
  const remove = (place: number): void => {
    const chart = charts[place]
    if (!chart) return
    setRemoved({ chart, place })
    setAnnouncement(`${chart.title} is removed.`)
    nextFocus.current = '.undo'
    write((all) => all.filter(({ address }) => address !== chart.address))
  }
  const undo = (): void => {
    if (!removed) return
    setRemoved(undefined)
    setAnnouncement(`${removed.chart.title} is back.`)
    nextFocus.current = `li:nth-child(${removed.place + 1}) .remove`
    const { chart, place } = removed
    write((all) => moveChart([...all.filter(({ address }) => address !== chart.address), chart], chart.address, place))
  }
  return (
    <div>
      {charts.length === 0 && !removed && (
        <p>
          Nothing is pinned yet. “Save or share” of any chart, such as those of <a href={toHref('/')}>Today</a>, puts it
          here.
        </p>
      )}
      <div class="announcement">
        <p role="status" class={removed ? 'muted' : 'hidden'}>
          {announcement}
        </p>
        {removed && (
          <Button class="undo" onClick={undo}>
            Undo
          </Button>
        )}
      </div>
      <Problem text={problem} />
      {charts.length > 1 && <BoardRanges />}
      <ol ref={list} class="board">
        {charts.map((chart, place) => (
          <li
            key={chart.address}
            class={dragged === place ? 'dragged' : undefined}
            style={{ transform: itemTransform(place) }}
          >
            <PinnedChart
              chart={chart}
              tools={
                <div class="actions">
                  <span class="grip" title="Drag to another place" aria-hidden="true" {...handle(place)} />
                  <Button
                    class="earlier"
                    disabled={place === 0}
                    onClick={() => step(place, -1)}
                    aria-label={`Move ${chart.title} earlier`}
                  >
                    ←
                  </Button>
                  <Button
                    class="later"
                    disabled={place === charts.length - 1}
                    onClick={() => step(place, 1)}
                    aria-label={`Move ${chart.title} later`}
                  >
                    →
                  </Button>
                  <Button class="remove" onClick={() => remove(place)}>
                    Remove<span class="hidden"> {chart.title}</span>
                  </Button>
                </div>
              }
            />
          </li>
        ))}
      </ol>
    </div>
  )
}

function Sharing({ board, onBoard }: BoardProps) {
  const { share } = board
  const save = async ({ title = '' }: Readonly<Record<string, string>>) => {
    const changed = await changeBoard((newest) => ({ ...newest, title }))
    const shared = share === null ? (await act('POST /v1/board/share'))[0] : undefined
    onBoard({ ...changed, ...shared })
  }
  const end = async () => onBoard({ ...board, ...(await act('DELETE /v1/board/share'))[0] })
  return (
    <section class="sharing">
      <h2>{share === null ? 'Share this board' : 'This board is shared'}</h2>
      {share !== null && (
        <>
          <p class="muted">
            Anyone with this address sees the charts as far as their own access allows, and cannot change them.
          </p>
          <pre class="secret">{shareUrl(share)}</pre>
          <div class="actions">
            <CopyButton text={shareUrl(share)}>Copy address</CopyButton>
          </div>
        </>
      )}
      <Form action={share === null ? 'Share it' : 'Save the title'} isMain={share === null} onSubmit={save}>
        <Field label="Title" name="title" autocomplete="off" value={board.title} optional />
      </Form>
      {share !== null && <Form action="Stop sharing" onSubmit={end} />}
    </section>
  )
}

const shareUrl = (share: string): string =>
  new URL(`${pathTo('board').slice(1)}?shared=${encodeURIComponent(share)}`, document.baseURI).href

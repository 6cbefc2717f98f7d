import { useState } from 'preact/hooks'
import { addressOf, pathTo } from '../app/router.ts'
import { pinChart } from '../data/board.ts'
import { explain } from '../data/failure.ts'
import type { ShareProps } from './ask.ts'
import { bodyOf, packChart } from './chart-body.ts'

/** Puts the chart on the reader's board. */
export function Pin({ asked, title, note }: ShareProps) {
  const [state, setState] = useState<'free' | 'pinned'>('free')
  const [problem, setProblem] = useState<string>()
  const pin = async (): Promise<void> => {
    try {
      setProblem(undefined)
      const body = bodyOf(asked, title, note)
      await pinChart({ title: body.title ?? title, address: pathTo('chart', { chart: await packChart(body) }) })
      setState('pinned')
    } catch (error) {
      setProblem(explain(error).what)
    }
  }
  return (
    <>
      {state === 'pinned' ? (
        <a class="pill" href={addressOf(pathTo('board'))}>
          Pinned: open the board
        </a>
      ) : (
        <button type="button" class="pill" onClick={() => void pin()}>
          Pin to the board
        </button>
      )}
      {problem && <p role="alert">{problem}</p>}
    </>
  )
}

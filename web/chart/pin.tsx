import { useState } from 'preact/hooks'
import { pathTo, toHref } from '../app/router.ts'
import { pinChart } from '../data/board.ts'
import { explain } from '../data/failure.ts'
import { packChart, toChartBody } from './chart-body.ts'
import type { ShareProps } from './chart-options.ts'

/** Puts the chart on the reader's board. */
export function Pin({ options, title, note }: ShareProps) {
  const [state, setState] = useState<'free' | 'pinned'>('free')
  const [problem, setProblem] = useState<string>()
  const pin = async (): Promise<void> => {
    try {
      setProblem(undefined)
      const body = toChartBody(options, title, note)
      await pinChart({ title: body.title ?? title, address: pathTo('chart', { chart: await packChart(body) }) })
      setState('pinned')
    } catch (error) {
      setProblem(explain(error).message)
    }
  }
  return (
    <>
      {state === 'pinned' ? (
        <a class="pill" href={toHref(pathTo('board'))}>
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

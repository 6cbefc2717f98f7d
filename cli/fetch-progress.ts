import { dayAt, isoDate } from '#base/days.ts'
import type { Logger } from '#base/log.ts'
import { formatCount, formatDuration } from '#base/quantities.ts'
import type { SourceProgress } from '#ingest/market/fetch.ts'
import type { TextStream } from './process-context.ts'

const redrawIntervalMs = 200
const logIntervalMs = 30_000

export interface FetchProgressView {
  readonly show: (progress: SourceProgress) => void
  /** Writes permanent text, if any, above the progress and removes the line of `source`. */
  readonly finish: (source: string, text: string, out: TextStream) => void
  readonly done: () => void
}

/** One line per source on a terminal; log lines every 30 seconds elsewhere. */
export function showFetchProgress(log: Logger, terminal: TextStream): FetchProgressView {
  const running = new Map<string, { progress: SourceProgress; begin: number; beganAt: number }>()
  let drawn = 0
  let drawnAt = Number.NEGATIVE_INFINITY
  const clear = (): void => {
    if (drawn > 0) terminal.write(`\x1b[${drawn}A\x1b[J`)
    drawn = 0
  }
  const draw = (): void => {
    clear()
    const lines = [...running.values()].map(
      ({ progress, ...since }) => `${progress.source.padEnd(16)} ${describe(progress, since)}\n`,
    )
    terminal.write(lines.join(''))
    drawn = lines.length
    drawnAt = performance.now()
  }
  const timer = terminal.isTTY
    ? undefined
    : setInterval(() => {
        for (const { progress, ...since } of running.values())
          log.info(progress, `${progress.source}: ${describe(progress, since)}`)
      }, logIntervalMs)
  return {
    show(progress) {
      const before = running.get(progress.source)
      const start = before ?? { begin: performance.now(), beganAt: progress.share }
      running.set(progress.source, { begin: start.begin, beganAt: start.beganAt, progress })
      if (terminal.isTTY && performance.now() - drawnAt > redrawIntervalMs) draw()
    },
    finish(source, text, out) {
      running.delete(source)
      clear()
      if (text !== '') out.write(text)
      if (terminal.isTTY) draw()
    },
    done() {
      clearInterval(timer)
      clear()
    },
  }
}

/** Time left at the pace since the first response. */
function describe(
  { rows, reached, share }: SourceProgress,
  { begin, beganAt }: { begin: number; beganAt: number },
): string {
  const seconds = (performance.now() - begin) / 1000
  const gained = share - beganAt
  const left = gained > 0 ? `, ${formatDuration((seconds * (1 - share)) / gained)} left` : ''
  return `${formatCount(rows)} rows, reached ${isoDate(dayAt(reached))}, ${Math.floor(100 * share)} %${left}`
}

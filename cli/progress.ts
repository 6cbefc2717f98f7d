import type { Progress } from '#compute/progress.ts'
import type { Logger } from '#root/log.ts'
import { decimals, duration, grouped, rate } from './numbers.ts'
import type { TextStream } from './surroundings.ts'

const barCells = 30
const logEveryMs = 5_000

/** Shows progress as a bar on a terminal, and as a log line every few seconds elsewhere. */
export function showProgress(log: Logger, terminal: TextStream): Progress & { done(): void } {
  let begin = performance.now()
  let logged = begin
  let barShown = false
  const clearBar = (): void => {
    if (barShown) terminal.write('\r\x1b[K')
    barShown = false
  }
  return {
    say(text) {
      clearBar()
      begin = performance.now()
      log.info(text)
    },
    scanned(blocks, totalBlocks, bytes) {
      const seconds = (performance.now() - begin) / 1000
      const share = totalBlocks > 0 ? blocks / totalBlocks : 1
      const left = share > 0 ? (seconds * (1 - share)) / share : 0
      const figures = `${grouped(blocks)} of ${grouped(totalBlocks)} blocks, ${decimals(100 * share, 1)} %, ${rate(bytes, seconds)}, ${duration(left)} left`
      if (terminal.isTTY) {
        const full = Math.round(share * barCells)
        terminal.write(`\r\x1b[K${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${figures}`)
        barShown = true
      } else if (performance.now() - logged > logEveryMs) {
        logged = performance.now()
        log.info({ blocks, totalBlocks, bytes, seconds }, figures)
      }
    },
    done: clearBar,
  }
}

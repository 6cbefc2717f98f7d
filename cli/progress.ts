import type { Logger } from '#base/log.ts'
import { formatCount, formatDecimals, formatDuration } from '#base/quantities.ts'
import type { Progress } from '#compute/progress.ts'
import { formatRate } from './numbers.ts'
import type { TextStream } from './process-context.ts'
import type { Report } from './recorded-run.ts'

const barCells = 30
const logIntervalMs = 5_000

/** The pace is unreliable before. */
const minPaceMs = 2_000

/**
 * Shows a bar or the current step on a terminal, and log lines every few seconds elsewhere. Pace
 * and time left count from the first blocks, after the preparation. Reports every step.
 */
export function showProgress(log: Logger, terminal: TextStream, report?: Report): Progress & { done(): void } {
  let begin = performance.now()
  let first: { at: number; blocks: number; bytes: number } | undefined
  let logged = begin
  let lineShown = false
  const clearLine = (): void => {
    if (lineShown) terminal.write('\r\x1b[K')
    lineShown = false
  }
  const showLine = (text: string): void => {
    terminal.write(`\r\x1b[K${text}`)
    lineShown = true
  }
  return {
    say(text) {
      clearLine()
      begin = performance.now()
      first = undefined
      log.info(text)
      report?.(text)
    },
    part(name, share) {
      report?.(name, share)
      if (terminal.isTTY) showLine(`${name}, ${formatDuration((performance.now() - begin) / 1000)} so far`)
    },
    scanned(blocks, totalBlocks, bytes) {
      const now = performance.now()
      first ??= { at: now, blocks, bytes }
      const seconds = (now - first.at) / 1000
      const done = blocks - first.blocks
      const pace =
        now - first.at >= minPaceMs && done > 0 && blocks < totalBlocks
          ? `, ${formatRate(bytes - first.bytes, seconds)}, ${formatDuration((seconds * (totalBlocks - blocks)) / done)} left`
          : ''
      const share = totalBlocks > 0 ? blocks / totalBlocks : 1
      report?.('reading blocks', share)
      const figures = `${formatCount(blocks)} of ${formatCount(totalBlocks)} blocks, ${formatDecimals(100 * share, 1)} %${pace}`
      if (terminal.isTTY) {
        const full = Math.round(share * barCells)
        showLine(`${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${figures}`)
      } else if (now - logged > logIntervalMs) {
        logged = now
        log.info({ blocks, totalBlocks, bytes, seconds }, figures)
      }
    },
    done: clearLine,
  }
}

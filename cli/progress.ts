import type { Logger } from '#base/log.ts'
import type { Progress } from '#compute/progress.ts'
import { decimals, duration, grouped, rate } from './numbers.ts'
import type { TextStream } from './surroundings.ts'

const barCells = 30
const logEveryMs = 5_000

/** Less than this says nothing of the pace. */
const paceFromMs = 2_000

/**
 * Shows progress as a bar on a terminal, with the part of the work that is running where there is none to show, and as a log line every
 * few seconds elsewhere. Pace and time left are counted from the first blocks, since what came before took its own time.
 */
export function showProgress(log: Logger, terminal: TextStream): Progress & { done(): void } {
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
    },
    part(name) {
      if (terminal.isTTY) showLine(`${name}, ${duration((performance.now() - begin) / 1000)} so far`)
    },
    scanned(blocks, totalBlocks, bytes) {
      const now = performance.now()
      first ??= { at: now, blocks, bytes }
      const seconds = (now - first.at) / 1000
      const done = blocks - first.blocks
      const pace =
        now - first.at >= paceFromMs && done > 0 && blocks < totalBlocks
          ? `, ${rate(bytes - first.bytes, seconds)}, ${duration((seconds * (totalBlocks - blocks)) / done)} left`
          : ''
      const share = totalBlocks > 0 ? blocks / totalBlocks : 1
      const figures = `${grouped(blocks)} of ${grouped(totalBlocks)} blocks, ${decimals(100 * share, 1)} %${pace}`
      if (terminal.isTTY) {
        const full = Math.round(share * barCells)
        showLine(`${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${figures}`)
      } else if (now - logged > logEveryMs) {
        logged = now
        log.info({ blocks, totalBlocks, bytes, seconds }, figures)
      }
    },
    done: clearLine,
  }
}

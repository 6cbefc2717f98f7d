import { Piscina } from 'piscina'
import { CoinstrataError } from '#base/errors.ts'
import type { ChartSpecification } from '../draw/specification.ts'
import { type RenderResult, type RenderTask, requireFile } from './render-task.ts'

export interface RenderPool {
  /** How many charts are drawn at a time; give no more, so that none waits while its time runs. */
  readonly threads: number
  /**
   * Draws a chart in another thread. Resolves to the bytes of the file. Throws `render_timeout`, and `invalid_argument`
   * for texts that the font of PNGs cannot show.
   */
  readonly render: (task: RenderTask) => Promise<Uint8Array>
  readonly close: () => Promise<void>
}

/** Threads that draw charts, each in at most `timeLimit` milliseconds. */
export function createRenderPool(threads: number, timeoutMs: number): RenderPool {
  const pool = new Piscina<RenderTask, RenderResult>({
    filename: new URL('./worker.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
  })
  return {
    threads,
    async render(task) {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        return requireFile(await pool.run(task, { signal }))
      } catch (error) {
        if (signal.aborted) throw timeoutError(task.specification, timeoutMs, error)
        throw error
      }
    },
    close: () => pool.close({ force: true }),
  }
}

function timeoutError({ title, series }: ChartSpecification, timeLimit: number, cause: unknown): CoinstrataError {
  const message = `the chart "${title}" with ${series.length} series took more than ${timeLimit / 1000} seconds to draw`
  return new CoinstrataError('render_timeout', message, {
    cure: 'ask for fewer series, fewer days or a smaller picture',
    cause,
  })
}

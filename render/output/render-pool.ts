import { Piscina } from 'piscina'
import { CoinstrataError } from '#base/errors.ts'
import { threadMemory } from '#base/thread-memory.ts'
import type { ChartSpecification } from '../draw/specification.ts'
import { type RenderResult, type RenderTask, requireFile } from './render-task.ts'

export type RenderPool = ReturnType<typeof createRenderPool>

export function createRenderPool(threads: number, timeoutMs: number) {
  const pool = new Piscina<RenderTask, RenderResult>({
    filename: new URL('./worker.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    ...threadMemory,
  })
  return {
    /** Maximum concurrent charts. Submit no more: the timeout includes queueing. */
    threads,
    /** Throws `render_timeout`, and `invalid_argument` for characters that the PNG font lacks. */
    async render(task: RenderTask): Promise<Uint8Array> {
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
    cure: 'request fewer series, fewer days or a smaller picture',
    cause,
  })
}

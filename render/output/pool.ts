import { Piscina } from 'piscina'
import { CoinstrataError } from '#root/errors.ts'
import type { ChartSpecification } from '../draw/specification.ts'
import type { RenderFormat, RenderTask } from './worker.ts'

export interface RenderPool {
  /**
   * Draws a chart in another thread. Resolves to the bytes of the SVG or PNG file. Throws `render_timeout` or
   * `render_overloaded`.
   */
  readonly render: (specification: ChartSpecification, format: RenderFormat) => Promise<Uint8Array>
  readonly close: () => Promise<void>
}

/** Threads that draw charts. A chart gets `timeLimit` milliseconds including its wait; at most `queueLimit` wait. */
export function createRenderPool(threads: number, timeLimit: number, queueLimit: number): RenderPool {
  const pool = new Piscina<RenderTask, Uint8Array>({
    filename: new URL('./worker.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    maxQueue: queueLimit,
  })
  return {
    async render(specification, format) {
      // Piscina counts a task as waiting for the instant in which an idle thread takes it.
      if (pool.queueSize >= queueLimit) throw overloaded(queueLimit)
      const signal = AbortSignal.timeout(timeLimit)
      try {
        return await pool.run({ specification, format }, { signal })
      } catch (error) {
        if (signal.aborted) throw timedOut(specification, timeLimit, error)
        throw error
      }
    },
    close: () => pool.close({ force: true }),
  }
}

function timedOut({ title, series }: ChartSpecification, timeLimit: number, cause: unknown): CoinstrataError {
  const message = `the chart "${title}" with ${series.length} series took more than ${timeLimit / 1000} seconds to draw`
  return new CoinstrataError('render_timeout', message, {
    cure: 'ask for fewer series, fewer days or a smaller picture',
    cause,
  })
}

function overloaded(queueLimit: number): CoinstrataError {
  return new CoinstrataError('render_overloaded', `${queueLimit} charts are waiting to be drawn already`, {
    cure: 'try again in a few seconds',
  })
}

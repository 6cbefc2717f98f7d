import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Pages also request rows in these blocks. */
export const rowsPerBlock = 50
/** Rows beyond the window, so that keys reach the next one. */
const margin = 12

/**
 * Rows of equal height in or near the window: `first`, `end` (exclusive) and `height` in pixels.
 */
export function useRowsNear(body: RefObject<HTMLElement | null>, count: number) {
  const [near, setNear] = useState({ first: 0, end: rowsPerBlock, height: 0 })
  useEffect(() => {
    let frame = 0
    const measure = (): void => {
      frame = 0
      const height = body.current?.querySelector('[aria-rowindex]')?.getBoundingClientRect().height
      if (!body.current || !height) return
      const above = -body.current.getBoundingClientRect().top / height
      const last = above + innerHeight / height + margin
      const blocks = Math.ceil(count / rowsPerBlock)
      const first = Math.max(0, Math.min(blocks - 1, Math.floor((above - margin) / rowsPerBlock))) * rowsPerBlock
      const end = Math.max(first + rowsPerBlock, Math.ceil(last / rowsPerBlock) * rowsPerBlock)
      setNear((known) =>
        known.first === first && known.end === end && known.height === height ? known : { first, end, height },
      )
    }
    const schedule = (): void => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    addEventListener('scroll', schedule, { passive: true })
    addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', schedule)
      removeEventListener('resize', schedule)
    }
  }, [count])
  return { ...near, end: Math.min(near.end, count) }
}

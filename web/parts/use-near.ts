import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** How far below what is seen something counts as near. */
const ahead = '600px'

/** Whether a reader has come near a place of the page, which is what `place` is given to; once true it stays so. */
export function useNear<Place extends HTMLElement>(): { target: RefObject<Place | null>; isNear: boolean } {
  const place = useRef<Place>(null)
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (!place.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: ahead },
    )
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return { target: place, isNear }
}

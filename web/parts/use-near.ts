import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const ahead = '600px'

/** `isNear` becomes true when `target` is near the viewport, and stays true. */
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

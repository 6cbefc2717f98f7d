import { useEffect, useRef, useState } from 'preact/hooks'

/** In page pixels. */
type Box = Pick<DOMRect, 'left' | 'top' | 'width' | 'height'>

interface Drag {
  readonly from: number
  readonly to: number
  readonly across: number
  readonly down: number
}

/** A drag this close to the window's edge (pixels) scrolls, faster if closer. */
const scrollEdge = 80

/**
 * Reorders a list, also in columns, by dragging handles (styles must set `touch-action: none` on
 * them). `items` returns its elements.
 */
export function useReorder(items: () => readonly HTMLElement[], onMove: (from: number, to: number) => void) {
  const [drag, setDrag] = useState<Drag>()
  const began = useRef<{ readonly x: number; readonly y: number; readonly boxes: readonly Box[] }>(undefined)
  const pointer = useRef({ x: 0, y: 0 })
  const follow = (from: number): void => {
    const own = began.current?.boxes[from]
    if (!began.current || !own) return
    const { x, y, boxes } = began.current
    const [across, down] = [pointer.current.x + scrollX - x, pointer.current.y + scrollY - y]
    const distances = boxes.map((box) =>
      Math.hypot(
        box.left + box.width / 2 - own.left - own.width / 2 - across,
        box.top + box.height / 2 - own.top - own.height / 2 - down,
      ),
    )
    setDrag({ from, to: distances.indexOf(Math.min(...distances)), across, down })
  }
  useEffect(() => {
    if (!drag) return undefined
    const { y } = pointer.current
    const beyond = Math.min(0, y - scrollEdge) + Math.max(0, y - innerHeight + scrollEdge)
    if (beyond === 0) return undefined
    const frame = requestAnimationFrame(() => {
      const before = scrollY
      scrollBy({ top: beyond / 5, behavior: 'instant' })
      if (scrollY !== before) follow(drag.from)
    })
    return () => cancelAnimationFrame(frame)
  })
  const end = (isWanted: boolean): void => {
    if (isWanted && drag && drag.from !== drag.to) onMove(drag.from, drag.to)
    began.current = undefined
    setDrag(undefined)
  }
  useEffect(() => {
    if (!drag) return undefined
    const cancel = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') end(false)
    }
    addEventListener('keydown', cancel)
    return () => removeEventListener('keydown', cancel)
  })
  const handle = (item: number) => ({
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId)
      const boxes = items().map((one) => {
        const { left, top, width, height } = one.getBoundingClientRect()
        return { left: left + scrollX, top: top + scrollY, width, height }
      })
      began.current = { x: event.clientX + scrollX, y: event.clientY + scrollY, boxes }
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      pointer.current = { x: clientX, y: clientY }
      follow(item)
    },
    onPointerUp: () => end(true),
    onPointerCancel: () => end(false),
  })
  /** The dragged item follows the pointer, the others show their new places. */
  const itemTransform = (item: number): string => {
    const boxes = began.current?.boxes
    const own = boxes?.[item]
    if (!drag || !boxes || !own) return ''
    if (item === drag.from) return `translate(${drag.across}px, ${drag.down}px)`
    const { from, to } = drag
    const box = boxes[item > from && item <= to ? item - 1 : item < from && item >= to ? item + 1 : item] ?? own
    return `translate(${box.left - own.left}px, ${box.top - own.top}px)`
  }
  return { handle, itemTransform, dragged: drag?.from }
}

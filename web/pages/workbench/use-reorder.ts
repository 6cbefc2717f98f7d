import { useEffect, useRef, useState } from 'preact/hooks'

/** A row of a list on its way to another place. */
interface Drag {
  readonly from: number
  readonly to: number
  /** How far it was dragged down, in pixels. */
  readonly shift: number
  /** Of the row that is dragged. */
  readonly height: number
}

/** What the handle of a row listens to. */
interface HandleProps {
  readonly onPointerDown: (event: PointerEvent) => void
  readonly onPointerMove: (event: PointerEvent) => void
  readonly onPointerUp: () => void
  readonly onPointerCancel: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/**
 * Lets rows be put in another order by handles: dragged, or moved by the up and down keys. `rows` finds the rows of the list,
 * each with one `.handle`.
 */
export function useReorder(rows: () => readonly HTMLElement[], onMove: (from: number, to: number) => void) {
  const [drag, setDrag] = useState<Drag>()
  const began = useRef<{ readonly y: number; readonly boxes: readonly DOMRect[] }>(undefined)
  const focused = useRef<number>(undefined)
  // The row keeps the focus where it stands now.
  useEffect(() => {
    if (focused.current === undefined) return
    rows()[focused.current]?.querySelector<HTMLElement>('.handle')?.focus()
    focused.current = undefined
  })
  const end = (isWanted: boolean): void => {
    if (isWanted && drag && drag.from !== drag.to) onMove(drag.from, drag.to)
    began.current = undefined
    setDrag(undefined)
  }
  const handle = (row: number): HandleProps => ({
    onPointerDown: (event) => {
      if (event.button !== 0) return
      if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId)
      began.current = { y: event.clientY, boxes: rows().map((one) => one.getBoundingClientRect()) }
    },
    onPointerMove: (event) => {
      const own = began.current?.boxes[row]
      if (!began.current || !own) return
      const shift = event.clientY - began.current.y
      const middle = own.top + own.height / 2 + shift
      const to = began.current.boxes.filter((box, i) => i !== row && box.top + box.height / 2 < middle).length
      setDrag({ from: row, to, shift, height: own.height })
    },
    onPointerUp: () => end(true),
    onPointerCancel: () => end(false),
    onKeyDown: (event) => {
      if (event.key === 'Escape' && drag) end(false)
      else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
        const to = row + (event.key === 'ArrowUp' ? -1 : 1)
        if (to >= 0 && to < rows().length) {
          focused.current = to
          onMove(row, to)
        }
      } else return
      event.preventDefault()
      event.stopPropagation()
    },
  })
  /** By how many pixels a row stands below its place while one is dragged. */
  const shiftOf = (row: number): number => {
    if (!drag) return 0
    if (row === drag.from) return drag.shift
    if (row > drag.from && row <= drag.to) return -drag.height
    return row < drag.from && row >= drag.to ? drag.height : 0
  }
  return { handle, shiftOf, dragged: drag?.from }
}

import type { ChartFrame } from '#render/page/page.ts'
import { minDays } from './view.ts'

/** Unix days; pixels relative to the picture. */
export interface GestureTarget {
  /** Undefined if the chart has no dates. */
  readonly span: () => readonly [number, number] | undefined
  readonly canMove: () => boolean
  readonly frame: () => ChartFrame
  /** Moves the crosshair; undefined removes it. */
  readonly point: (x: number | undefined, y: number) => void
  /** Marks days between two pixels; undefined shows them. */
  readonly select: (pixels: readonly [number, number] | undefined) => void
  /** Shows other days; reports errors in the chart. */
  readonly move: (from: number, to: number) => Promise<unknown>
  readonly end: (from: number, to: number) => void
  /** The wheel turned over the chart and scrolls the page. */
  readonly scroll: () => void
}

/** State at the start of a drag. */
interface Drag {
  readonly from: number
  readonly perPixel: number
  readonly left: number
  readonly right: number
  readonly mode: 'read' | 'select' | 'move'
}

/** A wheel gesture ends after this pause. */
const wheelEndMs = 180
const clickPixels = 4

/** Returns a function that stops listening. */
export function listenToGestures(element: HTMLElement, current: () => GestureTarget | undefined): () => void {
  const pointers = new Map<number, number>()
  let drag: Drag | undefined
  let start = new Map<number, number>()
  let isMoving = false
  let next: readonly [number, number] | undefined
  let isDrawing = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Measured once per gesture, because measuring forces a layout. */
  let corner: DOMRect | undefined
  const picturePoint = (event: MouseEvent): readonly [x: number, y: number] => {
    corner = isMoving && corner ? corner : element.getBoundingClientRect()
    return [event.clientX - corner.left, event.clientY - corner.top]
  }

  const startDrag = ({ pointerType, shiftKey }: PointerEvent, y: number): Drag | undefined => {
    const span = current()?.span()
    const plot = current()?.frame().plot
    if (!span || !plot) return undefined
    const { left, right, bottom } = plot
    // Dragging the dates moves them.
    const mode = y > bottom || shiftKey ? 'move' : pointerType === 'mouse' ? 'select' : 'read'
    return { from: span[0], perPixel: (span[1] - span[0]) / (right - left), left, right, mode }
  }

  /** Draws one frame at a time, always of the newest days. */
  const show = (from: number, to: number): void => {
    next = from + minDays > to ? next : [from, to]
    if (isDrawing || !next) return
    isDrawing = true
    requestAnimationFrame(() => {
      const target = next
      const done = (): void => {
        isDrawing = false
        if (next && next !== target) show(...next)
      }
      const drawn = target && current()?.move(...target)
      if (drawn) drawn.then(done, done)
      else done()
    })
  }

  const end = (): void => {
    if (isMoving && drag?.mode === 'select') current()?.select(undefined)
    else if (isMoving && next) current()?.end(...next)
    isMoving = false
    drag = undefined
    next = undefined
  }

  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return
    const [x, y] = picturePoint(event)
    pointers.set(event.pointerId, x)
    start = new Map(pointers)
    drag = startDrag(event, y)
  }

  const moved = (event: PointerEvent): void => {
    const [x, y] = picturePoint(event)
    if (!pointers.has(event.pointerId)) {
      if (event.pointerType === 'mouse') current()?.point(x, y)
      return
    }
    pointers.set(event.pointerId, x)
    const [one, other] = [...pointers]
    if (!one) return
    if (event.pointerType !== 'mouse' && !other && drag?.mode !== 'move') {
      current()?.point(x, y)
      return
    }
    if (!drag || ((drag.mode === 'move' || other) && !current()?.canMove())) return
    const began = start.get(one[0]) ?? one[1]
    if (!isMoving && !other && Math.abs(x - began) < clickPixels) return
    if (!isMoving) element.setPointerCapture(event.pointerId)
    isMoving = true
    const { from, perPixel, left, right, mode } = drag
    if (!other && mode === 'select') {
      current()?.select([began, one[1]])
      return
    }
    if (!other) {
      const shift = (began - one[1]) * perPixel
      show(from + shift, from + shift + (right - left) * perPixel)
      return
    }
    // Keep the same days under both fingers.
    const otherBegan = start.get(other[0]) ?? other[1]
    const day = (place: number): number => from + (place - left) * perPixel
    const scale = (day(otherBegan) - day(began)) / (other[1] - one[1] || 1)
    if (scale > 0) show(day(began) - (one[1] - left) * scale, day(began) + (right - one[1]) * scale)
  }

  const up = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return
    // A tap reads; a mouse reads without one.
    if (event.type === 'pointerup' && event.pointerType !== 'mouse' && !isMoving && pointers.size === 0) {
      current()?.point(...picturePoint(event))
    }
    start = new Map(pointers)
    if (pointers.size === 0 || event.pointerType !== 'mouse') end()
  }

  const leave = (event: PointerEvent): void => {
    if (event.pointerType === 'mouse' && pointers.size === 0) current()?.point(undefined, 0)
  }

  /** Scrolls the page; zooms with Ctrl (or pinch); moves if sideways. */
  const wheel = (event: WheelEvent): void => {
    const isZoom = event.ctrlKey || event.metaKey
    if (!current()?.canMove()) return
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) {
      current()?.scroll()
      return
    }
    const span = next ?? current()?.span()
    const plot = current()?.frame().plot
    if (!span || !plot) return
    event.preventDefault()
    isMoving = true
    const length = span[1] - span[0]
    if (isZoom) {
      const part = Math.min(1, Math.max(0, (picturePoint(event)[0] - plot.left) / (plot.right - plot.left)))
      const target = Math.max(
        minDays,
        length * Math.exp(Math.sign(event.deltaY) * Math.min(0.3, Math.abs(event.deltaY) / 200)),
      )
      const from = span[0] + (length - target) * part
      show(from, from + target)
    } else {
      const shift = (event.deltaX * length) / (plot.right - plot.left)
      show(span[0] + shift, span[1] + shift)
    }
    clearTimeout(timer)
    timer = setTimeout(end, wheelEndMs)
  }

  const listeners = {
    pointerdown: down,
    pointermove: moved,
    pointerup: up,
    pointercancel: up,
    pointerleave: leave,
    wheel,
  }
  const removal = new AbortController()
  for (const [name, listener] of Object.entries(listeners)) {
    element.addEventListener(name, listener as EventListener, { passive: false, signal: removal.signal })
  }
  return () => {
    clearTimeout(timer)
    removal.abort()
  }
}

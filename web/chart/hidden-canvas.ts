import type { CanvasMark } from './canvas-mark.ts'

/** Finer pictures than these take longer to draw than a hand waits; what moves shows no more. In pixels of the screen to one of the page. */
const maxPixelRatio = 2

/**
 * A canvas that is drawn on out of sight and shown as a picture that is done: as such it costs nothing while it is moved, unlike
 * a canvas that is drawn on.
 */
export class HiddenCanvas {
  readonly shown = document.createElement('canvas')
  readonly width: number
  /** Its pixels to one of the page. */
  readonly ratio = Math.min(maxPixelRatio, devicePixelRatio)
  readonly #context: OffscreenCanvasRenderingContext2D

  /** Of a size in pixels of the page. */
  constructor(width: number, height: number) {
    this.width = width
    const canvas = new OffscreenCanvas(Math.round(width * this.ratio), Math.round(height * this.ratio))
    this.#context = required(canvas.getContext('2d'))
    this.shown.style.width = `${width}px`
  }

  /** Draws it anew, in pixels of the page. */
  draw(paint: (context: OffscreenCanvasRenderingContext2D) => void): void {
    const context = this.#context
    context.save()
    context.scale(this.ratio, this.ratio)
    paint(context)
    context.restore()
    required(this.shown.getContext('bitmaprenderer')).transferFromImageBitmap(context.canvas.transferToImageBitmap())
  }
}

/** Paints a part of a picture, from a place to its other corner in pixels of the page, on a canvas that is seen. */
export function repaint(
  canvas: HTMLCanvasElement,
  picture: CanvasMark,
  [left, top]: readonly [number, number],
  [right, bottom]: readonly [number, number],
): void {
  const context = required(canvas.getContext('2d'))
  const [width, height] = [right - left, bottom - top].map((length) => Math.round(length * devicePixelRatio))
  // To set a size again, also the same, is to lay the page out again.
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  else context.reset()
  context.scale(canvas.width / (right - left), canvas.height / (bottom - top))
  context.translate(-left, -top)
  for (const part of picture.parts) part.paint(context)
}

function required<T>(context: T | null): T {
  if (context === null) throw new Error('this browser provides no canvas to draw on')
  return context
}

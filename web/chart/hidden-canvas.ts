import type { CanvasMark } from './canvas-mark.ts'

/** Screen pixels per page pixel. A higher resolution would draw too slowly for a gesture. */
const maxPixelRatio = 2

/**
 * Draws off screen and shows the finished bitmap, which is cheap to move, unlike a canvas with
 * drawing commands.
 */
export class HiddenCanvas {
  readonly shown = document.createElement('canvas')
  readonly width: number
  /** Canvas pixels per page pixel. */
  readonly ratio = Math.min(maxPixelRatio, devicePixelRatio)
  readonly #context: OffscreenCanvasRenderingContext2D

  constructor(width: number, height: number) {
    this.width = width
    const canvas = new OffscreenCanvas(Math.round(width * this.ratio), Math.round(height * this.ratio))
    this.#context = required(canvas.getContext('2d'))
    this.shown.style.width = `${width}px`
  }

  /** Replaces the picture; `paint` draws in page pixels. */
  draw(paint: (context: OffscreenCanvasRenderingContext2D) => void): void {
    const context = this.#context
    context.save()
    context.scale(this.ratio, this.ratio)
    paint(context)
    context.restore()
    required(this.shown.getContext('bitmaprenderer')).transferFromImageBitmap(context.canvas.transferToImageBitmap())
  }
}

/** Paints a region of a picture, given by two corners in page pixels, on a visible canvas. */
export function repaint(
  canvas: HTMLCanvasElement,
  picture: CanvasMark,
  [left, top]: readonly [number, number],
  [right, bottom]: readonly [number, number],
): void {
  const context = required(canvas.getContext('2d'))
  const [width, height] = [right - left, bottom - top].map((length) => Math.round(length * devicePixelRatio))
  // Setting the size forces a layout, even if it is unchanged.
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

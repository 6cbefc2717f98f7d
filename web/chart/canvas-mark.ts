import type { Group } from '#render/page/page.ts'

/** Painting on a canvas is many times faster than adding to the DOM. */
export class CanvasMark implements Group {
  readonly name: string
  readonly #attributes = new Map<string, string | number>()
  readonly #parts: CanvasMark[] = []
  #text = ''

  constructor(name: string) {
    this.name = name
  }

  append(name: string): CanvasMark {
    const part = new CanvasMark(name)
    this.#parts.push(part)
    return part
  }

  attr(name: string, value: string | number): this {
    this.#attributes.set(name, value)
    return this
  }

  text(text: string): this {
    this.#text = text
    return this
  }

  paint(context: CanvasRenderingContext2D): void {
    context.save()
    if (this.#attributes.has('overflow')) {
      context.beginPath()
      context.rect(this.#number('x'), this.#number('y'), this.#number('width'), this.#number('height'))
      context.clip()
    }
    if (this.name === 'text') this.#write(context)
    else if (this.name !== 'g' && this.name !== 'svg') this.#draw(context)
    for (const part of this.#parts) part.paint(context)
    context.restore()
  }

  #draw(context: CanvasRenderingContext2D): void {
    const shape = this.#shape()
    const fill = this.#word('fill')
    const isLine = fill === '' || fill === 'none'
    if (!isLine) {
      context.globalAlpha = this.#number('fill-opacity', 1)
      context.fillStyle = fill
      context.fill(shape)
    }
    if (!this.#prepareStroke(context)) return
    const pixel = 1 / context.getTransform().a
    const off = (context.lineWidth - pixel) / 2
    if (isLine && this.#word('class') === 'series' && context.globalAlpha === 1 && off > 0) {
      // One-pixel lines are many times faster than wider ones, so four make the line.
      Object.assign(context, { lineWidth: pixel, lineJoin: 'miter', lineCap: 'butt' })
      const steps = [
        [0, -off],
        [off, off],
        [-off, off],
        [-off, -off],
      ] as const
      for (const [x, y] of steps) {
        context.translate(x, y)
        context.stroke(shape)
      }
    } else context.stroke(shape)
  }

  #shape(): Path2D {
    if (this.name === 'path') return new Path2D(this.#word('d'))
    const shape = new Path2D()
    if (this.name === 'circle') shape.arc(this.#number('cx'), this.#number('cy'), this.#number('r'), 0, 2 * Math.PI)
    else {
      const box = ['x', 'y', 'width', 'height'].map((side) => this.#number(side)) as [number, number, number, number]
      shape.roundRect(...box, this.#number('rx'))
    }
    return shape
  }

  #write(context: CanvasRenderingContext2D): void {
    const [x, y] = [this.#number('x'), this.#number('y')]
    context.font = `${this.#number('font-weight', 400)} ${this.#number('font-size')}px Inter, system-ui, sans-serif`
    context.textAlign = anchors[this.#word('text-anchor')] ?? 'left'
    context.translate(x, y)
    // Only vertical text is transformed.
    if (this.#attributes.has('transform')) context.rotate(-Math.PI / 2)
    if (this.#prepareStroke(context)) context.strokeText(this.#text, 0, 0)
    context.globalAlpha = this.#number('fill-opacity', 1)
    context.fillStyle = this.#word('fill')
    context.fillText(this.#text, 0, 0)
  }

  #prepareStroke(context: CanvasRenderingContext2D): boolean {
    const stroke = this.#attributes.get('stroke')
    if (stroke === undefined || stroke === 'none') return false
    context.globalAlpha = this.#number('stroke-opacity', 1)
    context.strokeStyle = String(stroke)
    context.lineWidth = this.#number('stroke-width', 1)
    context.lineJoin = this.#word('stroke-linejoin') === 'round' ? 'round' : 'miter'
    context.lineCap = this.#word('stroke-linecap') === 'round' ? 'round' : 'butt'
    const dash = this.#word('stroke-dasharray')
    context.setLineDash(dash === '' ? [] : dash.split(/[ ,]+/).map(Number))
    return true
  }

  #word(name: string): string {
    return String(this.#attributes.get(name) ?? '')
  }

  #number(name: string, fallback = 0): number {
    return Number(this.#attributes.get(name) ?? fallback)
  }
}

const anchors: Readonly<Record<string, CanvasTextAlign>> = { middle: 'center', end: 'right' }

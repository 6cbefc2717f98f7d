const namespace = 'http://www.w3.org/2000/svg'

/** An SVG element to draw into. Every mark of a chart is made with these three steps; `append` gives the new element. */
export class Group {
  readonly #element: SVGElement

  constructor(element: SVGElement) {
    this.#element = element
  }

  append(name: string): Group {
    const child = this.#element.ownerDocument.createElementNS(namespace, name)
    this.#element.append(child)
    return new Group(child)
  }

  attr(name: string, value: string | number): this {
    this.#element.setAttribute(name, String(value))
    return this
  }

  text(text: string): this {
    this.#element.textContent = text
    return this
  }
}

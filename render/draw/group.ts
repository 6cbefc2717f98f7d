const namespace = 'http://www.w3.org/2000/svg'

/** What is drawn into. Every mark of a chart is made with these three steps; `append` gives the new one. */
export interface Group {
  append(name: string): Group
  attr(name: string, value: string | number): this
  text(text: string): this
}

/** An SVG element to draw into. */
export class ElementGroup implements Group {
  readonly #element: SVGElement

  constructor(element: SVGElement) {
    this.#element = element
  }

  append(name: string): ElementGroup {
    const child = this.#element.ownerDocument.createElementNS(namespace, name)
    this.#element.append(child)
    return new ElementGroup(child)
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

const namespace = 'http://www.w3.org/2000/svg'

/** An SVG element, or a substitute. `append` returns the new child. */
export interface Group {
  append(name: string): Group
  attr(name: string, value: string | number): this
  text(text: string): this
}

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

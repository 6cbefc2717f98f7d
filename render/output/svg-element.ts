import type { Group } from '../draw/group.ts'

/** An SVG element that becomes text: a document of jsdom takes half a second to load, and several times as long to draw into. */
export class SvgElement implements Group {
  readonly name: string
  readonly #attributes = new Map<string, string>()
  #children: SvgElement[] = []
  #text = ''

  constructor(name: string) {
    this.name = name
  }

  append(name: string): SvgElement {
    const child = new SvgElement(name)
    this.#children.push(child)
    return child
  }

  prepend(name: string): SvgElement {
    const child = new SvgElement(name)
    this.#children.unshift(child)
    return child
  }

  attr(name: string, value: string | number): this {
    this.#attributes.set(name, String(value))
    return this
  }

  /** Replaces all that the element holds. */
  text(text: string): this {
    this.#children = []
    this.#text = text
    return this
  }

  attribute(name: string): string | undefined {
    return this.#attributes.get(name)
  }

  /** Its own text, without that of elements in it. */
  get ownText(): string {
    return this.#text
  }

  /** All elements of a name within this one, in the order of the document. */
  *all(name: string): Generator<SvgElement> {
    for (const child of this.#children) {
      if (child.name === name) yield child
      yield* child.all(name)
    }
  }

  /** As XML. */
  toString(): string {
    let text = `<${this.name}`
    for (const [name, value] of this.#attributes) text += ` ${name}="${escapeXml(value)}"`
    let content = escapeXml(this.#text)
    for (const child of this.#children) content += child.toString()
    return content === '' ? `${text}/>` : `${text}>${content}</${this.name}>`
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string): string =>
  /[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (one) => entities[one]!) : text

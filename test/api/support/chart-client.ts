import { expect } from 'vitest'
import { chartMetadata } from '#contract/chart-metadata.ts'
import { type Picture, readPicture } from '#test/render/picture.ts'

/** Asks a server for charts by body, and reads what it draws. */
export class ChartClient {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  post(body: object): Promise<Response> {
    return fetch(`${this.#url}/v1/chart/snapshot`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** What the server tells of a chart. */
  async described(body: object) {
    const response = await this.post({ ...body, format: 'json' })
    const answer = await response.json()
    expect(response.status, JSON.stringify(answer)).toBe(200)
    return chartMetadata.parse(answer)
  }

  /** The chart as its SVG file shows it. */
  async drawn(body: object): Promise<Picture> {
    const response = await this.post({ ...body, format: 'svg' })
    const svg = await response.text()
    expect(response.status, svg).toBe(200)
    return readPicture(svg)
  }
}

/** An attribute of the first element that a selector finds. */
export const attribute = ({ document }: Picture, selector: string, name: string) =>
  document.querySelector(selector)?.getAttribute(name)
/** The texts of a group, such as `legend`. */
export const textsOf = ({ texts }: Picture, group: string) =>
  texts.filter((one) => one.group === group).map(({ text }) => text)
/** The numbers beside an axis, from its beginning to its end. */
export const numbersOf = ({ document }: Picture, axis: string) =>
  [...document.querySelectorAll(`.ticks[data-id="${axis}"] text`)].map(({ textContent }) => textContent)

import type { Request } from 'playwright-core'
import { unpackState } from '#web/pages/workbench/workbench-state.ts'
import { page, server } from './opened.ts'

export const button = (name: string) => page.getByRole('button', { name, exact: true })
/** The address of the page without its host. */
export const address = () => page.url().slice(server.url.length)
export const readState = async () => unpackState(new URL(page.url()).searchParams.get('c') ?? '')

/** Paths that the page requests while `work` runs. */
export async function askedBy(work: () => Promise<unknown>): Promise<string[]> {
  const asked: string[] = []
  const note = (request: Request) => void asked.push(request.url().slice(server.url.length))
  page.on('request', note)
  await work()
  page.off('request', note)
  return asked
}

/** Rows of the API at a path below `/v1/`. */
export const rowsOf = async (path: string): Promise<Record<string, number>[]> =>
  (await (await fetch(`${server.url}/v1/${path}`)).json()).data

export const readings = () => page.locator('.reading dd').allTextContents()
export const labels = () => page.locator('.reading dt').allTextContents()

export const handle = (name: string) => page.getByRole('button', { name: `Range of the axis ${name}` })
/** Numbers at the ticks of an axis. */
export const ticks = (id: string) => page.locator(`.picture .ticks[data-id="${id}"] text`).allTextContents()
const toNumber = (text: string): number => Number(text.replace('−', '-').replace(/[^\d.-]/g, ''))
export const highest = async (id: string) => Math.max(...(await ticks(id)).map(toNumber))
export const lowest = async (id: string) => Math.min(...(await ticks(id)).map(toNumber))

/** Types the ends of the axis whose fields are open. */
export async function setEnds(upper: string, lower: string): Promise<void> {
  await page.getByLabel('Upper end').fill(upper)
  await page.getByLabel('Lower end').fill(lower)
  await page.getByLabel('Lower end').press('Enter')
}

export const chartBox = async () => (await page.locator('.chart .box').boundingBox())!

/** Drags over the chart, by pixels from its upper left corner. */
export async function dragChart(from: number, to: number): Promise<void> {
  const { x, y } = await chartBox()
  await page.mouse.move(x + from, y + 150)
  await page.mouse.down()
  await page.mouse.move(x + to, y + 150, { steps: 4 })
  await page.mouse.up()
}

/** The first and the last day of the chart, as unix days. */
export const shownDays = () =>
  Promise.all(
    ['From', 'To'].map(async (label) => {
      return Date.parse(await page.getByLabel(label, { exact: true }).inputValue()) / 86_400_000
    }),
  )

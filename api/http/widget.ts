import type { RequestHandler } from 'express'
import { isoDate } from '#base/days.ts'
import type { Widget } from '#contract/widget.ts'
import type { Generations } from '#query/generations.ts'
import type { Published } from '#query/published.ts'
import { View } from '#query/view.ts'
import type { Operations, OperationsReport } from './operations.ts'

interface Newest {
  readonly value: number
  readonly date: string
}

type Values = ReadonlyMap<string, Newest>

/** Four numbers for dashboards of home servers. */
export function widget(generations: Generations, operations: Operations): RequestHandler {
  let known: { readonly of: Published; readonly values: Values } | undefined
  return async (_, response) => {
    const operating = await operations.read()
    if (operating.served) {
      await generations.read(async (published) => {
        if (known?.of !== published) known = { of: published, values: await readNewest(published, ['price', 'mvrv']) }
      })
    }
    response.set('Cache-Control', 'no-store').json(describe(operating, operating.served && known?.values))
  }
}

async function readNewest(published: Published, ids: readonly string[]): Promise<Values> {
  const view = new View(published, 'demo')
  const metrics = ids.flatMap((id) => view.catalogue.find(id) ?? [])
  const columns = await view.valuesOf(metrics)
  return new Map(
    metrics.flatMap(({ id }, i) => {
      const column = columns[i]!
      const at = column.findLastIndex((value) => !Number.isNaN(value))
      return at < 0 ? [] : [[id, { value: column[at]!, date: isoDate(view.firstDay + at) }] as const]
    }),
  )
}

function describe({ state, served, proved }: OperationsReport, values: Values = new Map()): Widget {
  const stat = (title: string, id: string, write: (value: number) => string) => {
    const newest = values.get(id)
    return { title, text: newest ? write(newest.value) : '–', subtext: newest?.date ?? '' }
  }
  const share = proved && proved.of > 0 ? Math.floor((100 * proved.blocks) / proved.of) : undefined
  return {
    type: 'four-stats',
    refresh: '1m',
    link: '',
    items: [
      stat('Price', 'price', (value) => value.toLocaleString('en', { maximumSignificantDigits: 6 })),
      stat('MVRV', 'mvrv', (value) => value.toFixed(2)),
      {
        title: 'Block',
        text: served ? served.tip.height.toLocaleString('en') : '–',
        subtext: served && share !== undefined ? `${share} % proved` : '',
      },
      { title: 'State', text: state.status.replaceAll('_', ' '), subtext: served?.last_date ?? '' },
    ],
  }
}

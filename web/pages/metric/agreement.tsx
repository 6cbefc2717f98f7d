import { pathTo, toHref } from '../../app/router.ts'
import { useAnswer } from '../../data/use-answer.ts'
import type { Comparison } from './comparison.ts'

/** How near a metric is to the series of other vendors; nothing where none was compared. */
export function Agreement({ id }: { readonly id: string }) {
  // What does not load is told by the guide that it is part of.
  const { value } = useAnswer(async () => (await import('agreement:all')).default, [])
  const compared = value?.[id] ?? []
  if (compared.length === 0) return null
  return (
    <section class="agreement">
      <h2>Agreement with others</h2>
      <p class="muted">
        This formula on their inputs, beside the series that they publish.{' '}
        <a href={toHref(pathTo('guide', { name: 'agreement' }))}>How they are compared</a>
      </p>
      <dl class="facts">
        {compared.map((one) => (
          <div key={one.vendor}>
            <dt>{one.vendor}</dt>
            <dd>
              {describe(one)}
              {one.why && <p class="muted">{one.why}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function describe({ days, from, to, median, greatest }: Comparison): string {
  const span = `on ${days} days, ${from.slice(0, 7)} to ${to.slice(0, 7)}`
  if (greatest === '0') return `Equal ${span}`
  return `Off by ${median === '0' ? 'nothing' : median} in the median, by ${greatest} at most, ${span}`
}

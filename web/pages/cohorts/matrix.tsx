import { Fragment } from 'preact'
import { pathTo, replaceQuery, route, toHref } from '../../app/router.ts'
import { LazyPanel } from '../../chart/panel.tsx'
import { type Columns, daysPerYear, readRecentDays } from '../../data/columns.ts'
import { explain } from '../../data/failure.ts'
import { requiredTier } from '../../parts/failed.tsx'
import { plain, writeValue } from '../../parts/numbers.ts'
import { PillNav } from '../../parts/pill-nav.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { type Loaded, useLastDay } from '../../parts/use-answer.tsx'
import { cohortMetric, groups, type Measure, measures } from './cohort-metrics.ts'

/** Cells show value and last year, and open a chart below the row. */
export function Matrix() {
  const { query } = route.value
  const group = groups.find(({ id }) => id === query.get('by')) ?? groups[0]!
  const { cohorts } = group
  const loaded = measures.map(({ id }) => useMeasure(id, group))
  const opened = query.get('open') ?? ''
  const narrowMeasure = measures.findIndex(({ id }) => id === query.get('of'))
  const columnClass = (i: number): string => (i === Math.max(0, narrowMeasure) ? 'number' : 'number not-narrow')
  return (
    <section>
      <PillNav label="Cohorts by" parameter="by" chosen={group.id} choices={groups} />
      <PillNav
        class="only-narrow"
        label="Measure"
        parameter="of"
        chosen={measures[Math.max(0, narrowMeasure)]?.id ?? ''}
        choices={measures}
      />
      <section class="table matrix" aria-label="Cohorts">
        <table>
          <caption class="hidden">Cohorts by measure, each with its line of a year</caption>
          <thead>
            <tr>
              <th scope="col">Coins</th>
              {measures.map(({ id, name }, i) => (
                <th key={id} scope="col" class={columnClass(i)}>
                  {name}
                  <TierNote loaded={loaded[i]} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cohorts.map((cohort) => {
              const at = measures.findIndex(({ id }) => cohortMetric(cohort.id, id) === opened)
              return (
                <Fragment key={cohort.id}>
                  <tr>
                    <th scope="row">{cohort.name}</th>
                    {measures.map(({ id, name, unit }, i) => {
                      const metric = cohortMetric(cohort.id, id)
                      const values = loaded[i]?.value?.values.get(metric)
                      const last = values?.findLast((value) => !Number.isNaN(value))
                      const text = last === undefined ? '–' : formatValue(unit, last)
                      return (
                        <td key={id} class={columnClass(i)}>
                          {values ? (
                            <button
                              type="button"
                              aria-expanded={opened === metric}
                              aria-label={`${name}, ${cohort.name}: ${text}. Chart`}
                              onClick={() => replaceQuery({ open: opened === metric ? undefined : metric })}
                            >
                              <Sparkline values={values} />
                              <b>{text}</b>
                            </button>
                          ) : (
                            <span class="muted">–</span>
                          )}
                        </td>
                      )
                    })}
                  </tr>
                  {at >= 0 && (
                    <tr class="opened">
                      <td colSpan={measures.length + 1}>
                        <LazyPanel
                          key={opened}
                          title={`${measures[at]?.name}, ${cohort.name.toLowerCase()}`}
                          options={{
                            metric: opened,
                            ...(opened !== 'realized_price' && { overlay: 'price' as const }),
                          }}
                          defaultRange="4y"
                          height={340}
                        />
                        <p class="remark">
                          <a href={toHref(pathTo('metric', { id: opened }))}>Its definition and everything about it</a>
                          {' · '}
                          <a href={`${toHref(pathTo('workbench'))}?metrics=${compared(opened, measures[at]!.id)}`}>
                            Compare it with long-term and short-term holders
                          </a>
                        </p>
                      </td>
                    </tr>
                  )}
                </Fragment>
              )
            })}
          </tbody>
        </table>
      </section>
    </section>
  )
}

const compared = (opened: string, measure: Measure): string =>
  [...new Set([opened, cohortMetric('lth', measure), cohortMetric('sth', measure)])].join()

/** Loaded separately: other measures are shown if one needs a higher tier. */
function useMeasure(measure: Measure, { id, cohorts }: (typeof groups)[number]): Loaded<Columns> {
  const metrics = cohorts.map((cohort) => cohortMetric(cohort.id, measure))
  return useLastDay((lastDate) => readRecentDays(metrics, lastDate, daysPerYear), [measure, id])
}

function TierNote({ loaded }: { readonly loaded: Loaded<Columns> | undefined }) {
  const error = loaded?.error
  if (error === undefined || loaded?.value) return null
  const tier = requiredTier(error)
  return <span class="also">{tier === undefined ? explain(error).message : `tier ${tier}`}</span>
}

/** Equal decimals make ratios comparable. */
const formatValue = (unit: string, value: number): string =>
  unit === 'ratio' ? plain(value, 2) : writeValue(unit, value)

import { pathTo, replaceQuery, route, toHref, withQuery } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { HistoryNote } from '../../chart/history-note.tsx'
import { LazyPanel } from '../../chart/panel.tsx'
import { readIndex } from '../../data/catalogue.ts'
import { FormulaField } from '../../parts/formula-field.tsx'
import { longDate, plain, writeCount } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { readOccurrences } from './occurrences.ts'

type Occurrences = Awaited<ReturnType<typeof readOccurrences>>

const examples = ['mvrv < 1', 'price > sma(price, 200)', 'percent_change(price, 30) < -20']
const maxMarks = 20
/** Fewer independent cases say next to nothing. */
const minIndependent = 10
/** Conditions looked at since the page was loaded. */
const tried = new Set<string>()

/** The address has the condition (`if`). */
export function Signals() {
  useTitle('Signals')
  const condition = route.value.query.get('if') ?? ''
  const { value: index, failure } = useAnswer(readIndex, [])
  const found = useAnswer(async () => {
    if (condition === '') return undefined
    const occurrences = await readOccurrences(condition)
    tried.add(condition)
    return { condition, occurrences }
  }, [condition])
  const isFound = found.value?.condition === condition
  return (
    <>
      <h1>Signals</h1>
      <p class="lead">
        How often was a condition true, and what did the price do afterwards? Compare that with what followed on all
        days: only the difference can be due to the condition.
      </p>
      {failure}
      <div class="form">
        {index && (
          <FormulaField
            value={condition}
            label="Condition"
            placeholder="A condition, such as mvrv < 1"
            index={index}
            onCommit={(text) => replaceQuery({ if: text.trim() || undefined })}
          />
        )}
        <p class="muted chart-tools">
          Examples:
          {examples.map((one) => (
            <a key={one} class="pill" href={toHref(withQuery({ if: one }))}>
              {one}
            </a>
          ))}
        </p>
      </div>
      <HistoryNote />
      {found.error !== undefined ? found.failure : condition !== '' && !isFound && <Waiting lines={6} />}
      {isFound && found.value && <Found condition={condition} {...found.value.occurrences} />}
    </>
  )
}

interface FoundProps extends Occurrences {
  readonly condition: string
}

function Found({ condition, from, isCondition, trueDays, knownDays, starts, trueSince, followed }: FoundProps) {
  if (from === undefined) return <p>The condition is not known on any day that you see.</p>
  if (!isCondition) return <p role="alert">This is a number. A condition compares numbers, such as mvrv &lt; 1.</p>
  const independent = Math.min(...followed.filter(({ isBase }) => !isBase).map((row) => row.independent))
  return (
    <>
      <p role="status">
        <b>
          True on {writeCount(trueDays)} of {writeCount(knownDays)} days ({((100 * trueDays) / knownDays).toFixed(1)} %)
          since {longDate(from)}, in {writeCount(starts.length)} intervals.
        </b>{' '}
        {trueSince === undefined ? 'It is not true now.' : `It has been true since ${longDate(trueSince)}.`}{' '}
        <a href={`${toHref(pathTo('alerts'))}?${new URLSearchParams({ watch: condition })}`}>
          Alert when it turns true
        </a>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is wider than a phone */}
      <section class="table" aria-label="What followed" tabIndex={0}>
        <Table
          rows={followed}
          columns={[
            { name: 'After', show: ({ days, isBase }) => `${days} days, of ${isBase ? 'all days' : 'the condition'}` },
            { name: 'Cases', show: ({ cases }) => writeCount(cases) },
            { name: 'Independent', show: (row) => writeCount(row.independent) },
            { name: 'Median', show: ({ median }) => percent(median) },
            { name: 'Lowest', show: ({ lowest }) => percent(lowest) },
            { name: 'Highest', show: ({ highest }) => percent(highest) },
            { name: 'Rose in', show: ({ cases, roseShare }) => (cases > 0 ? `${Math.round(100 * roseShare)} %` : '') },
          ]}
        />
      </section>
      <p class="remark">
        {independent < minIndependent &&
          `Only ${independent} cases have no days in common: too few to tell a signal from chance. `}
        {tried.size > 1 &&
          `You have tried ${tried.size} conditions: of 20 that mean nothing, one looks good by chance. `}
        Changes of the price from the first day of each interval on, with the values known today: some were corrected
        after their day.
      </p>
      <LazyPanel
        title="When it became true"
        note={`The first days of the newest ${Math.min(maxMarks, starts.length)} intervals.`}
        options={{ metric: 'price', reference_lines: starts.slice(-maxMarks).map((x) => ({ x })) }}
      />
    </>
  )
}

const percent = (change: number): string =>
  Number.isFinite(change) ? `${change < 0 ? '−' : '+'}${plain(Math.abs(change), 1)} %` : ''

import { isoDate } from '#base/days.ts'
import { replaceQuery, route, toHref, withQuery } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { HistoryNote } from '../../chart/history-note.tsx'
import { LazyPanel } from '../../chart/panel.tsx'
import { readIndex } from '../../data/catalogue.ts'
import { FormulaField } from '../../parts/formula-field.tsx'
import { longDate, writeCount } from '../../parts/numbers.ts'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { type Followed, type Occurrences, readOccurrences } from './occurrences.ts'

const examples = ['mvrv < 1', 'price > sma(price, 200)', 'percent_change(price, 30) < -20']
const maxMarks = 20
const maxListed = 10
/** Fewer independent cases say next to nothing. */
const minIndependent = 10
/** Conditions looked at since the page was loaded. */
const tried = new Set<string>()

/** The address has the condition (`if`) and the metric that followed (`of`). */
export function Signals() {
  useTitle('Signals')
  const { query } = route.value
  const condition = query.get('if') ?? ''
  const outcome = query.get('of') ?? 'price'
  const { value: index, failure } = useAnswer(readIndex, [])
  const found = useAnswer(async () => {
    if (condition === '') return undefined
    const occurrences = await readOccurrences(condition, outcome)
    tried.add(condition)
    return { condition, outcome, occurrences }
  }, [condition, outcome])
  const isFound = found.value?.condition === condition && found.value.outcome === outcome
  return (
    <>
      <h1>Signals</h1>
      <p class="lead">
        How often was a condition true, and what followed? Below it is what followed on all days: only the difference is
        due to the condition.
      </p>
      {failure}
      {index && (
        <div class="signal">
          <label htmlFor="signal-if">Condition</label>
          <FormulaField
            inputId="signal-if"
            value={condition}
            label="Condition"
            placeholder="Such as mvrv < 1"
            index={index}
            onCommit={(text) => replaceQuery({ if: text.trim() || undefined })}
          />
          <label htmlFor="signal-of">What followed in</label>
          <FormulaField
            inputId="signal-of"
            value={outcome}
            label="What followed in"
            index={index}
            onCommit={(text) => replaceQuery({ of: text.trim() === 'price' ? undefined : text.trim() || undefined })}
          />
        </div>
      )}
      {condition === '' && (
        <p class="muted">
          Begin with one of these:{' '}
          {examples.map((one) => (
            <a key={one} class="pill" href={toHref(withQuery({ if: one }))}>
              {one}
            </a>
          ))}
        </p>
      )}
      <HistoryNote />
      {found.error !== undefined ? found.failure : condition !== '' && !isFound && <Waiting lines={6} />}
      {isFound && found.value && <Found outcome={outcome} occurrences={found.value.occurrences} />}
    </>
  )
}

function Found({ outcome, occurrences }: { readonly outcome: string; readonly occurrences: Occurrences }) {
  const { from, trueDays, knownDays, spells, isTrueSince, followed } = occurrences
  const [fewest] = followed
    .filter(({ isBase }) => !isBase)
    .toSorted((one, other) => one.independent - other.independent)
  if (from === undefined) return <p>The condition is not known on any day that you see.</p>
  return (
    <>
      <p role="status">
        <b>
          True on {writeCount(trueDays)} of {writeCount(knownDays)} days ({((100 * trueDays) / knownDays).toFixed(1)} %)
          since {longDate(from)}, in {writeCount(spells.length)} intervals.
        </b>{' '}
        {isTrueSince === undefined ? 'It is not true now.' : `It has been true since ${longDate(isTrueSince)}.`}
      </p>
      {fewest && fewest.independent < minIndependent && (
        <p class="remark">
          Over {fewest.days} days only {fewest.independent} cases have no days in common: too few to tell a signal from
          chance.
        </p>
      )}
      {tried.size > 1 && (
        <p class="remark">
          You have tried {tried.size} conditions. Of 20 that mean nothing, one looks good by chance: test what you find
          on days that you did not look at.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is wider than a phone */}
      <section class="table" aria-label={`What followed in ${outcome}`} tabIndex={0}>
        <Table
          rows={followed}
          columns={[
            {
              name: 'After',
              show: ({ days, isBase }) => `${days} days, ${isBase ? 'of all days' : 'of the condition'}`,
            },
            { name: 'Cases', show: ({ cases }) => writeCount(cases) },
            { name: 'Independent', show: (row) => writeCount(row.independent) },
            { name: 'Median', show: ({ median }) => percent(median) },
            { name: 'Lowest', show: ({ lowest }) => percent(lowest) },
            { name: 'Highest', show: ({ highest }) => percent(highest) },
            { name: 'Rose in', show: ({ cases, roseShare }) => (cases > 0 ? `${Math.round(100 * roseShare)} %` : '') },
          ]}
          rowProps={({ isBase }: Followed) => ({ class: isBase ? 'muted' : undefined })}
        />
      </section>
      <p class="remark">
        Changes of {outcome} from the first day of each interval on. Values are those known today: some were corrected
        after their day.
      </p>
      <LazyPanel
        title={`The newest ${Math.min(maxMarks, spells.length)} times`}
        note="Lines mark the first days of intervals."
        options={{ metric: outcome, reference_lines: spells.slice(-maxMarks).map(({ first: x }) => ({ x })) }}
      />
      <p class="muted">
        {spells.length > maxListed ? `The newest ${maxListed} intervals: ` : 'Intervals: '}
        {spells
          .slice(-maxListed)
          .reverse()
          .map(({ first, last }) => `${longDate(isoDate(first))} to ${longDate(isoDate(last))}`)
          .join('; ')}
      </p>
    </>
  )
}

const percent = (change: number): string =>
  Number.isFinite(change) ? `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %` : ''

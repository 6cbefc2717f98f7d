import { intervalNames, normalizations } from '#contract/chart-words.ts'
import { cycleFamilies } from '#contract/cycle-families.ts'
import type { Bench } from './bench.ts'

/** What concerns the whole chart. */
export function Options({ bench, onBench }: { readonly bench: Bench; readonly onBench: (bench: Bench) => void }) {
  const pick = <Name extends 'interval' | 'normalize' | 'stacked' | 'cycles'>(
    name: Name,
    label: string,
    options: readonly (readonly [Bench[Name], string])[],
  ) => (
    <label>
      <span>{label}</span>
      <select
        class="pill"
        value={bench[name]}
        onChange={({ currentTarget }) => {
          const found = options.find(([value]) => value === currentTarget.value)
          if (found) onBench({ ...bench, [name]: found[0] })
        }}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  const check = (name: 'halvings' | 'events', label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={bench[name]}
        onChange={({ currentTarget }) => onBench({ ...bench, [name]: currentTarget.checked })}
      />
      <span>{label}</span>
    </label>
  )
  const names = { index: 'First value = 100', zscore: 'Z-scores', percentile: 'Percentiles' }
  const families = { halving: 'Since halvings', ath: 'Since tops', low: 'Since lows' }
  const spans = { day: 'Days', week: 'Weeks', month: 'Months' }
  return (
    <div class="options">
      {pick(
        'interval',
        'Points are',
        intervalNames.map((name) => [name, spans[name]] as const),
      )}
      {pick('normalize', 'Compare as', [
        ['none', 'They are'],
        ...normalizations.map((name) => [name, names[name]] as const),
      ])}
      {pick('stacked', 'Stack', [
        ['no', 'No'],
        ['yes', 'Areas and bars'],
        ['percent', 'As shares'],
      ])}
      {pick('cycles', 'Cycles of the first', [
        ['none', 'No'],
        ...cycleFamilies.map((name) => [name, families[name]] as const),
      ])}
      <label>
        <span>Levels</span>
        <input
          class="field"
          type="text"
          inputMode="decimal"
          placeholder="1, 3.5"
          value={bench.levels.join(', ')}
          onChange={({ currentTarget }) => {
            const levels = currentTarget.value
              .split(/[,;\s]+/)
              .filter((text) => text !== '')
              .map(Number)
            onBench({ ...bench, levels: levels.filter(Number.isFinite) })
          }}
        />
      </label>
      {check('halvings', 'Halvings')}
      {check('events', 'Events')}
    </div>
  )
}

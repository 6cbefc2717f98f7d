import { intervalNames, normalizations } from '#contract/chart-options.ts'
import { cycleFamilies } from '#contract/cycle-families.ts'
import { Select } from '../../parts/select.tsx'
import type { WorkbenchState } from './workbench-state.ts'

interface ChartSettingsProps {
  readonly state: WorkbenchState
  readonly onState: (state: WorkbenchState) => void
}

export function ChartSettings({ state, onState }: ChartSettingsProps) {
  const pick = <Name extends 'interval' | 'normalize' | 'stacked' | 'cycles'>(
    name: Name,
    label: string,
    choices: readonly (readonly [WorkbenchState[Name], string])[],
  ) => (
    <Select
      label={label}
      isLabeled
      value={state[name]}
      choices={choices}
      onChange={(value) => onState({ ...state, [name]: value })}
    />
  )
  const check = (name: 'halvings' | 'events', label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={state[name]}
        onChange={({ currentTarget }) => onState({ ...state, [name]: currentTarget.checked })}
      />
      <span>{label}</span>
    </label>
  )
  const names = { index: 'First value = 100', zscore: 'Z-scores', percentile: 'Percentiles' }
  const families = { halving: 'Since halvings', ath: 'Since tops', low: 'Since lows' }
  const spans = { day: 'Days', week: 'Weeks', month: 'Months', year: 'Years' }
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
          value={state.levels.join(', ')}
          onChange={({ currentTarget }) => {
            const levels = currentTarget.value
              .split(/[,;\s]+/)
              .filter((text) => text !== '')
              .map(Number)
            onState({ ...state, levels: levels.filter(Number.isFinite) })
          }}
        />
      </label>
      {check('halvings', 'Halvings')}
      {check('events', 'Events')}
    </div>
  )
}

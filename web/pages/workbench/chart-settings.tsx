import { useState } from 'preact/hooks'
import { normalizations } from '#contract/chart-options.ts'
import { cycleFamilies } from '#contract/cycle-families.ts'
import { Select } from '../../parts/select.tsx'
import { intervals, parseNotes, type WorkbenchState } from './workbench-state.ts'

interface ChartSettingsProps {
  readonly state: WorkbenchState
  readonly onChange: (part: Partial<WorkbenchState>) => void
}

export function ChartSettings({ state, onChange }: ChartSettingsProps) {
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
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  const check = (name: 'halvings' | 'events', label: string) => (
    <label class="check">
      <input
        type="checkbox"
        checked={state[name]}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
      />
      <span>{label}</span>
    </label>
  )
  const names = { index: 'First value = 100', zscore: 'Z-scores', percentile: 'Percentiles' }
  const families = { halving: 'Since halvings', ath: 'Since tops', low: 'Since lows' }
  const spans = { day: 'Days', week: 'Weeks', month: 'Months', year: 'Years', hour: 'Hours', block: 'Blocks' }
  return (
    <div class="options">
      <TextField
        label="Title"
        placeholder="Names of the series"
        value={state.title}
        onCommit={(title) => onChange({ title })}
      />
      {pick(
        'interval',
        'Points are',
        intervals.map((name) => [name, spans[name]] as const),
      )}
      {pick('normalize', 'Show as', [
        ['none', 'Values'],
        ...normalizations.map((name) => [name, names[name]] as const),
      ])}
      {pick('stacked', 'Stack', [
        ['no', 'No'],
        ['yes', 'Areas and bars'],
        ['percent', 'As shares'],
      ])}
      {pick('cycles', 'Cycles or seasons of m1', [
        ['none', 'No'],
        ...cycleFamilies.map((name) => [name, families[name]] as const),
        ['months', 'Seasonality by month'],
      ])}
      <TextField
        label="Levels"
        placeholder="1, 3.5"
        pattern="[\d\s.,;\-]*"
        value={state.levels.join(', ')}
        onCommit={(text) => {
          const levels = text.split(/[,;\s]+/).filter((one) => one !== '')
          onChange({ levels: levels.map(Number).filter(Number.isFinite) })
        }}
      />
      <TextField
        label="Notes at dates"
        placeholder="2022-11-09 FTX; 2024-04-20"
        pattern="(\s*\d{4}-\d\d-\d\d[^;]*;?)*"
        value={state.notes.map((note) => note.join(' ').trim()).join('; ')}
        onCommit={(text) => onChange({ notes: parseNotes(text) })}
      />
      {check('halvings', 'Halvings')}
      {check('events', 'Events')}
      {['week', 'month', 'year'].includes(state.interval) && state.lines.some(({ text }) => text.includes('(')) && (
        <p class="muted">Formulas count days, whatever the points are: sma(price, 140) is a mean of 20 weeks.</p>
      )}
    </div>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly placeholder: string
  readonly pattern?: string
  readonly value: string
  readonly onCommit: (text: string) => void
}

/** Keeps what is typed while the page is rendered again. */
function TextField({ label, placeholder, pattern, value, onCommit }: TextFieldProps) {
  const [draft, setDraft] = useState<string>()
  return (
    <label>
      <span>{label}</span>
      <input
        class="field"
        type="text"
        placeholder={placeholder}
        pattern={pattern}
        title={pattern && `Such as ${placeholder}`}
        value={draft ?? value}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        onChange={({ currentTarget }) => {
          if (!currentTarget.reportValidity()) return
          onCommit(currentTarget.value)
          setDraft(undefined)
        }}
      />
    </label>
  )
}

import { isoDate, parseDay } from '#base/days.ts'
import { type ChartInterval, intervalNames, type Normalization, normalizations } from '#contract/chart-options.ts'
import { type CycleFamily, cycleFamilies } from '#contract/cycle-families.ts'
import type { KnownIds } from '#contract/metric-ids.ts'
import type { ChartOptions } from '../../chart/chart-options.ts'
import type { CatalogueIndex } from '../../data/catalogue.ts'
import { pack, unpack } from '../../data/url-codec.ts'

export const axes = [
  ['auto', 'Auto axis'],
  ['left', 'Left axis'],
  ['right', 'Right axis'],
  ['below', 'Pane below'],
  ['lowest', 'Second pane'],
] as const
export const styles = [
  ['auto', 'Auto style'],
  ['line', 'Line'],
  ['area', 'Area'],
  ['bar', 'Bars'],
  ['points', 'Points'],
  ['step', 'Steps'],
  ['candle', 'Candles'],
] as const
export const intervals = [...intervalNames, 'hour', 'block'] as const

/** A metric id or a formula, which may name lines above it. */
export interface Line {
  readonly text: string
  /** Differs from `text` if names of other lines are replaced in it. */
  readonly label?: string
  readonly axis: (typeof axes)[number][0]
  readonly style: (typeof styles)[number][0]
  /** `#rrggbb`, or empty for the palette's next color. */
  readonly color: string
  readonly isHidden: boolean
}

export interface WorkbenchState {
  /** Empty for the names of the lines. */
  readonly title: string
  readonly lines: readonly Line[]
  readonly halvings: boolean
  readonly events: boolean
  /** Two dates (YYYY-MM-DD). */
  readonly compared: readonly [string, string] | undefined
  readonly interval: ChartInterval
  readonly normalize: Normalization | 'none'
  readonly stacked: 'no' | 'yes' | 'percent'
  /** Overlays the cycles of the first metric, or makes a table of its months. */
  readonly cycles: CycleFamily | 'none' | 'months'
  readonly levels: readonly number[]
  /** Dates (YYYY-MM-DD) with a text each. */
  readonly notes: readonly (readonly [date: string, text: string])[]
}

export const newLine = (text: string): Line => ({ text, axis: 'auto', style: 'auto', color: '', isHidden: false })

export const emptyState: WorkbenchState = {
  title: '',
  lines: [],
  halvings: false,
  events: false,
  compared: undefined,
  interval: 'day',
  normalize: 'none',
  stacked: 'no',
  cycles: 'none',
  levels: [],
  notes: [],
}

/** Both have values on the days that visitors without an account see. */
export const initialState: WorkbenchState = { ...emptyState, lines: [newLine('price'), newLine('realized_price')] }

/** Names of lines in formulas: m1, m2 … of metrics and f1, f2 … of formulas. */
export function nameLines(lines: readonly Line[], metrics: KnownIds): string[] {
  const counts = { m: 0, f: 0 }
  return lines.map(({ text }) => {
    const kind = metrics.has(text.trim()) ? 'm' : 'f'
    counts[kind] += 1
    return `${kind}${counts[kind]}`
  })
}

/** Replaces names of lines above each line with their texts. */
export function expandLines(lines: readonly Line[], metrics: KnownIds): Line[] {
  const names = nameLines(lines, metrics)
  const texts: string[] = []
  return lines.map((line, i) => {
    const own = line.text.trim()
    const text = own.replaceAll(/\b[mf]\d+\b/g, (name) => {
      const at = names.indexOf(name)
      return at >= 0 && at < i ? `(${texts[at]})` : name
    })
    texts.push(text)
    return text === own ? line : { ...line, text, label: own }
  })
}

/** `after` are the lines of `before`, some removed or moved: formulas keep naming the same lines. */
export function keepReferences(before: readonly Line[], after: readonly Line[], metrics: KnownIds): Line[] {
  const names = nameLines(before, metrics)
  const newNames = nameLines(after, metrics)
  const expanded = expandLines(before, metrics)
  return after.map((line) => {
    const text = line.text.replaceAll(/\b[mf]\d+\b/g, (name) => {
      const at = names.indexOf(name)
      const named = before[at]
      return named === undefined ? name : (newNames[after.indexOf(named)] ?? `(${expanded[at]!.text.trim()})`)
    })
    return text === line.text ? line : { ...line, text }
  })
}

/** `lines` must be valid and expanded. */
export function toChartOptions(state: WorkbenchState, lines: readonly Line[], { byId }: CatalogueIndex): ChartOptions {
  const panes = (['below', 'lowest'] as const).filter((pane) => lines.some(({ axis }) => axis === pane))
  const hasBelow = panes.length > 0
  const isMetric = ({ text }: Line): boolean => byId.has(text.trim())
  const look = ({ axis, style, color, text }: Line) => ({
    ...(style !== 'auto' && { style }),
    ...(color !== '' && { color }),
    ...(axis !== 'auto'
      ? { y_axis_id: axis }
      : hasBelow
        ? { y_axis_id: byId.get(text.trim())?.unit === 'USD' ? 'right' : 'left' }
        : {}),
  })
  const metrics = lines.filter(isMetric).map((line) => ({ id: line.text.trim(), ...look(line) }))
  const formulas = lines
    .filter((line) => !isMetric(line))
    .map((line) => ({ expression: line.text.trim(), ...(line.label && { label: line.label }), ...look(line) }))
  const used = (axis: string): boolean => [...metrics, ...formulas].some((one) => one.y_axis_id === axis)
  // Each pane takes a quarter of the height, with a gap above it.
  const above: [number, number] = [panes.length === 2 ? 56 : 32, 100]
  const zones = hasBelow
    ? [
        ...(['left', 'right'] as const).filter(used).map((side) => ({ side, range: above })),
        ...panes.map((id, i) => {
          const from = 28 * (panes.length - 1 - i)
          return { id, side: 'left' as const, range: [from, from + (panes.length === 2 ? 23 : 26)] as [number, number] }
        }),
      ]
    : []
  if (state.cycles !== 'none') {
    const [first] = metrics
    if (!first) return {}
    return state.cycles === 'months'
      ? { calendar: { metric: first.id } }
      : { metric: first.id, x_axis: 'day_offset', cycle_family: state.cycles, indexed: true }
  }
  const compared = (state.compared ?? []).map((date, i) => [date, i === 0 ? 'A' : 'B'] as const)
  const marks = [...compared, ...state.notes].map(([date, label]) => ({ x: parseDay(date), ...(label && { label }) }))
  const levels = state.levels.map((y) => ({ y }))
  return {
    ...(metrics.length > 0 && { metrics }),
    ...(formulas.length > 0 && { formulas }),
    ...(zones.length > 0 && { y_axes: zones }),
    ...(state.halvings && { halvings: true }),
    ...(state.events && { events: true }),
    ...(state.interval !== 'day' && { interval: state.interval }),
    ...(state.normalize !== 'none' && { normalize: state.normalize }),
    ...(state.stacked !== 'no' && { stacked: state.stacked === 'percent' ? ('percent' as const) : true }),
    ...(levels.length + marks.length > 0 && { reference_lines: [...marks, ...levels] }),
  }
}

/** Limits of the API. */
export const limits = { lines: 12, levels: 10, notes: 8, characters: 1_000, title: 120 }

export function packState(state: WorkbenchState): Promise<string> {
  const lines = state.lines.map(({ text, axis, style, color, isHidden }) => [
    text,
    axis,
    style,
    color,
    isHidden ? 1 : 0,
  ])
  return pack({ ...state, lines })
}

/** Undefined for anything but a packed state. */
export const unpackState = async (text: string): Promise<WorkbenchState | undefined> => parseState(await unpack(text))

/** Validates each field, because anybody can write an address. */
function parseState(value: unknown): WorkbenchState | undefined {
  if (!isRecord(value) || !Array.isArray(value.lines) || !Array.isArray(value.levels)) return undefined
  const lines = value.lines.slice(0, limits.lines).map(readLine)
  const levels = value.levels
    .slice(0, limits.levels)
    .filter((level) => typeof level === 'number' && Number.isFinite(level))
  const { title, halvings, events, compared, interval, normalize, stacked, cycles, notes } = value
  return {
    title: typeof title === 'string' ? title.slice(0, limits.title) : '',
    lines: lines.filter((line) => line !== undefined),
    levels,
    halvings: halvings === true,
    events: events === true,
    compared: readDates(compared),
    interval: oneOf(intervals, interval) ?? 'day',
    normalize: oneOf(normalizations, normalize) ?? 'none',
    stacked: oneOf(['yes', 'percent'] as const, stacked) ?? 'no',
    cycles: oneOf([...cycleFamilies, 'months'] as const, cycles) ?? 'none',
    notes: Array.isArray(notes) ? parseNotes(notes.map(String).join(';')) : [],
  }
}

/** `2022-11-09 FTX; 2024-04-20`; a packed note has a comma after its date. */
export const parseNotes = (text: string): WorkbenchState['notes'] =>
  text
    .split(';')
    .flatMap((note): WorkbenchState['notes'] => {
      const [, date = '', label = ''] = /^\s*(\d{4}-\d\d-\d\d)[\s,]*(.*?)\s*$/.exec(note) ?? []
      return Number.isNaN(parseDay(date)) ? [] : [[date, label.slice(0, limits.title)]]
    })
    .slice(0, limits.notes)

function readDates(value: unknown): WorkbenchState['compared'] {
  if (!Array.isArray(value)) return undefined
  const [first, second] = value
  const isDate = (one: unknown): one is string => typeof one === 'string' && Number.isInteger(parseDay(one))
  return isDate(first) && isDate(second) ? [first, second] : undefined
}

function readLine(value: unknown): Line | undefined {
  if (!Array.isArray(value)) return undefined
  const [text, axis, style, color, isHidden] = value
  if (typeof text !== 'string' || text.length > limits.characters) return undefined
  return {
    text,
    axis: axes.find(([name]) => name === axis)?.[0] ?? 'auto',
    style: styles.find(([name]) => name === style)?.[0] ?? 'auto',
    color: typeof color === 'string' && /^#[0-9a-f]{6}$/.test(color) ? color : '',
    isHidden: isHidden === 1,
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)

/** The last day and a year before it. */
export const defaultDates = (lastDate: string): readonly [string, string] => [
  isoDate(parseDay(lastDate) - 365),
  lastDate,
]

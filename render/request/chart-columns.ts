import type { Kind } from '#base/kinds.ts'
import { mostFormulaParts } from '#contract/chart-words.ts'
import { evaluateWithPauses } from '#sql/formula/evaluate.ts'
import { FormulaError } from '#sql/formula/formula-error.ts'
import { kindOfFormula } from '#sql/formula/kind.ts'
import { type Formula, parseFormula } from '#sql/formula/parse.ts'
import { requireKnownReferences } from '#sql/formula/references.ts'
import type { Candles } from '../draw/specification.ts'
import { type ChartPlan, hasFormulas, type Level, listLevels } from './chart-plan.ts'
import type { ChartMetric, ChartSource } from './chart-source.ts'
import { countNodes } from './formula-nodes.ts'
import { inferFormulaUnit } from './formula-unit.ts'
import { ChartRequestError } from './request-error.ts'

/** The columns of a chart's formulas and metrics, over all days that the caller may see. */
export interface ChartColumns {
  readonly metrics: readonly { readonly metric: ChartMetric; readonly values: Float64Array }[]
  readonly formulas: readonly { readonly unit: string; readonly values: Float64Array; readonly kind: Kind }[]
  readonly price: Float64Array | undefined
  /** Of the price, where candles are asked for. */
  readonly candles: Candles | undefined
  /** The value of a level of the plan: a number, or a column. */
  readonly level: (level: Level) => number | Float64Array
}

/**
 * Reads and computes the columns of a chart. Throws `ChartRequestError` for a formula that does not hold, and what the
 * source throws.
 */
export async function readChartColumns(source: ChartSource, plan: ChartPlan): Promise<ChartColumns> {
  const metrics = plan.metrics.map(({ id }) => source.series(id, 'metrics'))
  const priceMetric = plan.overlay ? source.series('price', 'overlay') : undefined
  const names = new Map(metrics.map((metric, i) => [`m${i + 1}`, metric]))
  const known = new Set(hasFormulas(plan) ? source.ids : [])
  for (const name of names.keys()) known.add(name)
  const read = createFormulaReader(known)
  const formulas = plan.formulas.map(({ expression }, i) => {
    const formula = read(expression, `formulas.${i}.expression`)
    known.add(`f${i + 1}`)
    return formula
  })
  const levels = new Map<string, Formula>()
  for (const [name, level] of listLevels(plan)) {
    if ('formula' in level && !levels.has(level.formula)) levels.set(level.formula, read(level.formula, name))
  }

  const needed = new Map<string, ChartMetric>(
    [...metrics, ...(priceMetric ? [priceMetric] : [])].map((one) => [one.id, one]),
  )
  for (const { references } of [...formulas, ...levels.values()]) {
    for (const id of references.keys()) {
      if (names.has(id) || /^f\d+$/.test(id)) continue
      needed.set(id, source.series(id, 'formulas'))
    }
  }
  const values = await source.readValues([...needed.keys()])
  const columns = new Map([...needed.keys()].map((id, i) => [id, values[i]!]))
  const units = new Map([...needed].map(([id, { unit }]) => [id, displayUnit(unit)]))
  for (const [name, { id }] of names) {
    columns.set(name, columns.get(id)!)
    units.set(name, units.get(id)!)
  }
  /** Each formula has a turn of its own of the event loop, and long ones several, so that other requests come in between. */
  const evaluate = async (formula: Formula): Promise<Float64Array> => {
    await source.pause()
    const length = source.lastDay - source.firstDay + 1
    return evaluateWithPauses(formula, length, (id) => columns.get(id)!, source.pause)
  }
  const kinds = new Map([...needed].map(([id, { kind }]) => [id, kind]))
  for (const [name, { kind }] of names) kinds.set(name, kind)
  const computed: ChartColumns['formulas'][number][] = []
  for (const [i, formula] of formulas.entries()) {
    const values = await evaluate(formula)
    const unit = plan.formulas[i]?.unit ?? inferFormulaUnit(formula, (id) => units.get(id) ?? '')
    columns.set(`f${i + 1}`, values)
    units.set(`f${i + 1}`, unit)
    const kind = kindOfFormula(formula, (id) => kinds.get(id)!)
    kinds.set(`f${i + 1}`, kind)
    computed.push({ unit, values, kind })
  }
  const levelValues = new Map<string, Float64Array>()
  for (const [text, formula] of levels) levelValues.set(text, await evaluate(formula))
  return {
    metrics: metrics.map((metric) => ({ metric, values: columns.get(metric.id)! })),
    formulas: computed,
    candles: plan.candles ? await candlesOf(source) : undefined,
    price: priceMetric && columns.get('price'),
    level: (level) => ('value' in level ? level.value : levelValues.get(level.formula)!),
  }
}

async function candlesOf(source: ChartSource): Promise<Candles> {
  const ids = ['open', 'high', 'low'].map((id) => source.series(id, 'style').id)
  const [open, high, low] = await source.readValues(ids)
  return { open: open!, high: high!, low: low! }
}

/** Units as charts write them. */
export const displayUnit = (unit: string): string => (unit === 'percent' ? '%' : unit)

/** Reads the formulas of one chart by the parameter that gave them, as long as they are not too much together. */
function createFormulaReader(known: ReadonlySet<string>): (text: string, name: string) => Formula {
  let nodes = 0
  return (text, name) => {
    const formula = parseKnownFormula(text, name, known)
    nodes += countNodes(formula.root)
    if (nodes <= mostFormulaParts) return formula
    const problem = `with this the formulas of the chart have more than ${mostFormulaParts} numbers, metrics and operations`
    throw new ChartRequestError('invalid_parameter', `parameter '${name}': ${problem}; give fewer, or shorter ones`, {
      parameter: name,
    })
  }
}

function parseKnownFormula(text: string, name: string, known: ReadonlySet<string>): Formula {
  try {
    const formula = parseFormula(text)
    requireKnownReferences(formula, known)
    return formula
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    const { message, cure, position, suggestion } = error
    throw new ChartRequestError(
      'invalid_parameter',
      `parameter '${name}': ${message}${message.endsWith('?') ? ' ' : '; '}${cure}`,
      {
        parameter: name,
        position,
        ...(suggestion !== undefined && { suggestion }),
      },
    )
  }
}

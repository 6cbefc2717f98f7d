import { maxFormulaParts } from '#contract/chart-options.ts'
import type { KnownIds } from '#contract/metric-ids.ts'
import { defaultAggregates, type MetricKind } from '#contract/metric-kinds.ts'
import { dimensionUnit, inferDimension } from '#sql/formula/dimension.ts'
import { evaluateWithPauses } from '#sql/formula/evaluate.ts'
import { FormulaError } from '#sql/formula/formula-error.ts'
import { inferKind } from '#sql/formula/kind.ts'
import { type Formula, type FormulaNode, parseFormula } from '#sql/formula/parse.ts'
import { checkReferences } from '#sql/formula/references.ts'
import type { Candles } from '../draw/specification.ts'
import { type ChartPlan, listLevels } from './chart-plan.ts'
import type { ChartMetric, ChartSource } from './chart-source.ts'
import type { RequestedSeries } from './request.ts'
import { ChartRequestError } from './request-error.ts'

interface Column {
  readonly values: Float64Array
  readonly unit: string
  readonly dimension: string
  readonly kind: MetricKind
}

export interface ChartColumns {
  readonly metrics: readonly { readonly metric: ChartMetric; readonly values: Float64Array }[]
  readonly formulas: readonly Column[]
  /** Formulas whose dimension does not follow from their metrics. */
  readonly remarks: readonly string[]
  readonly price: Float64Array | undefined
  readonly candles: Candles | undefined
  /** The values of a level, which is a number or a formula. */
  readonly level: (level: number | string) => number | Float64Array
}

/** Reads metrics and evaluates formulas, over all days that the caller may see. Throws `ChartRequestError` for an invalid formula. */
export async function readChartColumns(source: ChartSource, plan: ChartPlan): Promise<ChartColumns> {
  const metrics = plan.metrics.map(({ id }) => source.series(id, 'metrics'))
  const priceMetric = plan.overlay ? source.series('price', 'overlay') : undefined
  const names = new Map(metrics.map(({ id }, i) => [`m${i + 1}`, id]))
  const own = new Set(names.keys())
  const read = createFormulaReader({ ...source.ids, has: (id) => own.has(id) || source.ids.has(id) })
  const formulas = plan.formulas.map(({ expression }, i) => {
    const formula = read(expression, `formulas.${i}.expression`)
    own.add(`f${i + 1}`)
    return formula
  })
  const levels = new Map<string, Formula>()
  for (const [name, text] of listLevels(plan)) {
    if (!levels.has(text)) levels.set(text, read(text, name))
  }

  const needed = new Map([...metrics, ...(priceMetric ? [priceMetric] : [])].map((one) => [one.id, one]))
  for (const { references } of [...formulas, ...levels.values()]) {
    for (const id of references.keys()) {
      if (!names.has(id) && !/^f\d+$/.test(id)) needed.set(id, source.series(id, 'formulas'))
    }
  }
  const values = await source.readValues([...needed.keys()])
  const columns = new Map<string, Column>(
    [...needed].map(([id, metric], i) => [id, { ...toQuantity(metric), values: values[i]!, kind: metric.kind }]),
  )
  for (const [name, id] of names) columns.set(name, columns.get(id)!)
  const evaluate = async (formula: Formula): Promise<Float64Array> => {
    // Lets other requests run between the formulas, and within long ones.
    await source.pause()
    const length = source.lastDay - source.firstDay + 1
    const lookup = (id: string): Float64Array => columns.get(id)!.values
    return source.evaluate?.(formula, length, lookup) ?? evaluateWithPauses(formula, length, lookup, source.pause)
  }
  const computed: Column[] = []
  const remarks: string[] = []
  for (const [i, formula] of formulas.entries()) {
    const { unit = '', y_axis_id, expression } = plan.formulas[i]!
    const inferred = inferDimension(formula, (id) => columns.get(id)?.dimension)
    const quantity = chooseQuantity(unit, inferred, `f${i + 1}`, [...columns.values()])
    if (inferred === undefined && y_axis_id === undefined) {
      const axis = unit === '' ? 'an axis of its own' : `the axis of ${quantity.dimension}, by its unit`
      remarks.push(`the dimension of the formula ${expression} does not follow from its metrics: it has ${axis}`)
    }
    const column = {
      unit: quantity.unit,
      dimension: quantity.dimension,
      values: await evaluate(formula),
      kind: inferKind(formula, (id) => columns.get(id)!.kind),
    }
    columns.set(`f${i + 1}`, column)
    computed.push(column)
  }
  const levelValues = new Map<string, Float64Array>()
  for (const [text, formula] of levels) levelValues.set(text, await evaluate(formula))
  return {
    metrics: metrics.map((metric) => ({ metric, values: columns.get(metric.id)!.values })),
    formulas: computed,
    remarks,
    candles: plan.candles ? await readCandles(source) : undefined,
    price: priceMetric && columns.get('price')!.values,
    level: (level) => (typeof level === 'number' ? level : levelValues.get(level)!),
  }
}

/** The series of a plan, metrics before formulas. Style and aggregate come from definitions unless the plan has its own. */
export function createSeries(plan: ChartPlan, columns: ChartColumns): RequestedSeries[] {
  const metrics = columns.metrics.map(({ metric, values }, i): RequestedSeries => {
    const definedStyle = metric.style === 'bar' || metric.style === 'area' ? metric.style : 'line'
    // Only the price has candles; other series keep their own style.
    const style = plan.style === 'candle' && metric.id !== 'price' ? undefined : plan.style
    const options = plan.metrics[i]!
    return {
      ...options,
      ...toQuantity(metric),
      label: options.label ?? metric.name,
      style: options.style ?? style ?? (options.stacked && definedStyle === 'line' ? 'area' : definedStyle),
      aggregate: options.aggregate ?? metric.aggregate,
      id: metric.id,
      values,
      ...(metric.id === 'price' && columns.candles && { candles: columns.candles }),
    }
  })
  const formulas = columns.formulas.map(({ unit, dimension, values, kind }, i): RequestedSeries => {
    const { expression, ...options } = plan.formulas[i]!
    const { label = expression.slice(0, 60), aggregate = defaultAggregates[kind] } = options
    return { ...options, label, aggregate, id: `f${i + 1}`, unit, dimension, values }
  })
  return [...metrics, ...formulas]
}

async function readCandles(source: ChartSource): Promise<Candles> {
  const ids = ['open', 'high', 'low'].map((id) => source.series(id, 'style').id)
  const [open, high, low] = await source.readValues(ids)
  return { open: open!, high: high!, low: low! }
}

export const toQuantity = ({ unit, dimension }: Quantity): Quantity => ({
  unit: displayUnit(unit),
  dimension: displayUnit(dimension || unit),
})

const displayUnit = (unit: string): string => (unit === 'percent' ? '%' : unit)

type Quantity = Pick<Column, 'unit' | 'dimension'>

/** Unit and dimension of a formula: the inferred dimension unless it has another `unit`, which is empty if none is requested. */
function chooseQuantity(
  unit: string,
  inferred: string | undefined,
  own: string,
  others: readonly Quantity[],
): Quantity {
  if (inferred === undefined) {
    const known = others.find((other) => unit !== '' && [other.dimension, other.unit].includes(displayUnit(unit)))
    return known ?? toQuantity({ unit, dimension: unit || own })
  }
  const inferredUnit = others.find(({ dimension }) => dimension === inferred)?.unit ?? dimensionUnit(inferred)
  const isOther = unit !== '' && displayUnit(unit) !== displayUnit(inferredUnit)
  return toQuantity({ unit: unit || inferredUnit, dimension: isOther ? unit : inferred })
}

/** Returns a parser that bounds the total size of a chart's formulas; `name` is the parameter with the formula. */
function createFormulaReader(known: KnownIds): (text: string, name: string) => Formula {
  let nodes = 0
  return (text, name) => {
    const formula = parseKnownFormula(text, name, known)
    nodes += countNodes(formula.root)
    if (nodes <= maxFormulaParts) return formula
    const problem = `with this the formulas of the chart have more than ${maxFormulaParts} numbers, metrics and operations`
    throw new ChartRequestError('invalid_parameter', `parameter '${name}': ${problem}; give fewer, or shorter ones`, {
      parameter: name,
    })
  }
}

function parseKnownFormula(text: string, name: string, known: KnownIds): Formula {
  try {
    const formula = parseFormula(text)
    checkReferences(formula, known)
    return formula
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    const { message, cure, position, suggestion } = error
    throw new ChartRequestError(
      'invalid_parameter',
      `parameter '${name}': ${message}${message.endsWith('?') ? ' ' : '; '}${cure}`,
      { parameter: name, position, ...(suggestion !== undefined && { suggestion }) },
    )
  }
}

/** Number of numbers, metrics, operators and calls in a part of a formula. */
function countNodes(node: FormulaNode): number {
  switch (node.kind) {
    case 'number':
    case 'metric':
      return 1
    case 'pointwise':
      return node.operands.reduce((sum, operand) => sum + countNodes(operand), 1)
    case 'cumulative':
      return 1 + countNodes(node.operand)
    case 'rolling':
      return 2 + countNodes(node.operand)
  }
}

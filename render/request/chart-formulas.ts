import { maxFormulaParts } from '#contract/chart-options.ts'
import { defaultInterval, periodStarts } from '#contract/intervals.ts'
import type { KnownIds } from '#contract/metric-ids.ts'
import { isRecomputed } from '#contract/metric-kinds.ts'
import { inferAggregate } from '#sql/formula/aggregate.ts'
import { dimensionUnit, inferDimension } from '#sql/formula/dimension.ts'
import { FormulaError } from '#sql/formula/formula-error.ts'
import { inferKind } from '#sql/formula/kind.ts'
import { type Formula, type FormulaNode, parseFormula } from '#sql/formula/parse.ts'
import type { Periods } from '#sql/formula/periods.ts'
import { checkReferences } from '#sql/formula/references.ts'
import { type Column, displayUnit, type Quantity, toQuantity } from './chart-column.ts'
import { type ChartPlan, listLevels, longInterval } from './chart-plan.ts'
import type { ChartMetric, ChartSource } from './chart-source.ts'
import { ChartRequestError } from './request-error.ts'

/**
 * Parses a chart's formulas. `metricIds` are its metrics, m1, m2 … Returns other metrics in
 * formulas, and a function that evaluates them and adds their columns to those of metrics. Throws
 * `ChartRequestError`.
 */
export function readFormulas(source: ChartSource, plan: ChartPlan, metricIds: readonly string[]) {
  const names = new Map(metricIds.map((id, i) => [`m${i + 1}`, id]))
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
  const metrics: ChartMetric[] = []
  for (const { references } of [...formulas, ...levels.values()]) {
    for (const id of references.keys()) {
      if (names.has(id) || /^f\d+$/.test(id)) continue
      const metric = source.series(id, 'formulas')
      metrics.push(metric)
      // An alias stays in the formula.
      names.set(id, metric.id)
    }
  }
  const evaluateAll = async (columns: Map<string, Column>) => {
    for (const [name, id] of names) columns.set(name, columns.get(id)!)
    const interval = longInterval(plan)
    const length = source.lastDay - source.firstDay + 1
    const find = (id: string) => columns.get(id)!
    const ofPeriods =
      interval === defaultInterval ? undefined : { find, starts: periodStarts(source.firstDay, length, interval) }
    const evaluate = (formula: Formula, periods?: Periods) =>
      source.evaluate(formula, length, (id) => find(id).values, periods)
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
      const kind = inferKind(formula, (id) => find(id).kind)
      const aggregate = inferAggregate(formula, find)
      const values = await evaluate(formula)
      const toDate = ofPeriods && isRecomputed(aggregate) ? await evaluate(formula, ofPeriods) : values
      const { unit: own, dimension } = quantity
      const column = { unit: own, dimension, kind, aggregate, values, toDate }
      columns.set(`f${i + 1}`, column)
      computed.push(column)
    }
    const levelValues = new Map<string, Float64Array>()
    for (const [text, formula] of levels) levelValues.set(text, await evaluate(formula, ofPeriods))
    return { computed, remarks, levels: levelValues }
  }
  return { metrics, evaluate: evaluateAll }
}

/** Unit and dimension of a formula: inferred unless another `unit` is requested (empty: none). */
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

/** Returns a parser that bounds the total size of formulas; `name` is the formula's parameter. */
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

/** Numbers, metrics, operators and calls in part of a formula. */
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
      return 2 + countNodes(node.operand) + (node.other ? countNodes(node.other) : 0)
  }
}

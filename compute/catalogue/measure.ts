import type { MetricKind } from '#contract/metric-kinds.ts'
import type { Unit } from '#contract/units.ts'
import type { BaseMeasure, CreatedMeasure } from '../cohorts/base-measures.ts'
import type { MetricRow } from './definition.ts'

interface MeasureRow extends Pick<MetricRow, 'name' | 'unit' | 'style' | 'scale' | 'variant' | 'source'> {
  readonly category: 'supply' | 'valuation' | 'profit_and_loss' | 'coin_days'
  /** Name in the rows of `/v1/holder/profit`, and an alias. */
  readonly field?: string
  /** Equal measure of coins at least a day old, which this one is an alias of. */
  readonly sameAfterDay?: string
  /** `{coins}` stands for the words for the cohort's coins. */
  readonly description: string
}

type SummedMeasure = BaseMeasure | CreatedMeasure

export type Measure = MeasureRow &
  (
    | { readonly id: SummedMeasure; readonly formula?: never; readonly kind: MetricKind }
    /** Over metric ids; names in braces are other measures of the same cohort. */
    | { readonly id: string; readonly formula: string; readonly kind?: never }
  )

type Description = Omit<MeasureRow, 'category' | 'name' | 'unit'>

export const inCategory = <Row extends Omit<Measure, 'category'>>(
  category: Measure['category'],
  rows: readonly Row[],
) => rows.map((row) => ({ category, ...row }))

export const summed = <Id extends SummedMeasure>(
  id: Id,
  name: string,
  unit: Unit,
  kind: MetricKind,
  row: Description,
) => ({ id, name, unit, kind, ...row })

export const derived = <const Id extends string>(
  id: Id,
  name: string,
  unit: Unit,
  formula: string,
  row: Description,
) => ({ id, name, unit, formula, ...row })

import { isVariant } from '#contract/search/search.ts'
import type { IndexEntry } from '../../data/catalogue.ts'
import { Select } from '../../parts/select.tsx'

export interface Selection {
  readonly category: string
  readonly unit: string
  /** `market`, `part` or `all`. */
  readonly of: string
}

export const isSelected = (metric: IndexEntry, { category, unit, of }: Selection): boolean =>
  (category === '' || metric.category === category) &&
  (unit === '' || metric.unit === unit) &&
  (of === 'all' || isVariant(metric) === (of === 'part'))

type Counts = readonly (readonly [value: string, count: number])[]

/** Metrics of each kind, in catalogue order. */
export function countFacets(metrics: readonly IndexEntry[]): {
  readonly categories: Counts
  readonly units: Counts
  readonly whole: number
  readonly parts: number
} {
  const counts = (of: (metric: IndexEntry) => string): Counts =>
    [...Map.groupBy(metrics, of)].map(([value, members]) => [value, members.length])
  const parts = metrics.filter(isVariant).length
  return {
    categories: counts(({ category }) => category),
    units: counts(({ unit }) => unit),
    parts,
    whole: metrics.length - parts,
  }
}

interface FacetSelectProps {
  readonly name: string
  readonly value: string
  readonly all: string
  readonly options: readonly { readonly value: string; readonly label: string; readonly count: number }[]
  readonly onChoose: (value: string) => void
}

export function FacetSelect({ name, value, all, options, onChoose }: FacetSelectProps) {
  const isListed = value === '' || options.some((option) => option.value === value)
  return (
    <Select
      label={name}
      value={value}
      choices={[
        ['', all],
        ...(isListed ? [] : [[value, `${value} (0)`] as const]),
        ...options.map((option) => [option.value, `${option.label} (${option.count})`] as const),
      ]}
      onChange={onChoose}
    />
  )
}

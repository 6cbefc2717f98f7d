import { useState } from 'preact/hooks'
import type { RangeName } from '#contract/chart-words.ts'
import { ChartPanel, type PanelProps } from './panel.tsx'
import type { View } from './view.ts'

/** A chart that keeps its view by itself, where several stand on a page. */
export function OwnPanel({
  usual = 'all',
  ...props
}: Omit<PanelProps, 'view' | 'onView'> & { readonly usual?: RangeName }) {
  const [view, setView] = useState<View>({ range: usual, days: undefined, scale: undefined })
  return <ChartPanel {...props} view={view} onView={setView} />
}

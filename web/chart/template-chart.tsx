import { type ChartTemplate, templateBody } from '#render/request/template.ts'
import { LazyPanel } from './panel.tsx'

export function TemplateChart({ template, height }: { readonly template: ChartTemplate; readonly height?: number }) {
  const { title = '', subtitle = '', range, start_date: _, ...options } = templateBody(template)
  return (
    <LazyPanel
      title={title}
      note={subtitle}
      options={options}
      {...(range && { defaultRange: range })}
      {...(height !== undefined && { height })}
    />
  )
}

import type { ChartTemplate } from '#render/request/template.ts'
import { templateBody } from '#render/request/template-body.ts'
import { LazyPanel } from './lazy-panel.tsx'

/** A chart that is ready under a name, with its title and how it is read. */
export function TemplateChart({ template, height }: { readonly template: ChartTemplate; readonly height?: number }) {
  const { title = '', subtitle = '', range, ...options } = templateBody(template)
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

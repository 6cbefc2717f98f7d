import type { ChartTemplate } from '#render/request/template.ts'
import { templateBody } from '#render/request/template-body.ts'
import { OwnPanel } from './own-panel.tsx'

/** A chart that is ready under a name, with its title and how it is read. */
export function ReadyChart({ template, height }: { readonly template: ChartTemplate; readonly height?: number }) {
  const { title = '', subtitle = '', range, ...asked } = templateBody(template)
  return (
    <OwnPanel
      title={title}
      note={subtitle}
      asked={asked}
      {...(range && { usual: range })}
      {...(height !== undefined && { height })}
    />
  )
}

import { tierForGrade, tiers } from '#contract/tiers.ts'
import { theme } from '../app/theme.ts'
import { access } from '../data/accounts.ts'
import { readIndex } from '../data/catalogue.ts'
import { useAnswer } from '../data/use-answer.ts'
import { Snippet } from '../parts/code.tsx'
import { Failed } from '../parts/failed.tsx'
import { packChart, toChartBody } from './chart-body.ts'
import type { ShareProps } from './chart-options.ts'
import { requiredMetrics } from './compose.ts'
import { escapeHtml } from './snippets.ts'

const size = { width: 800, height: 460 }

interface EmbedProps extends Pick<ShareProps, 'options' | 'title' | 'note'> {
  /** URL of the app, without a trailing slash. */
  readonly service: string
}

/** HTML for embedding a chart on another site. */
export function Embed({ options, title, note, service }: EmbedProps) {
  const { value, error, retry } = useAnswer(async () => {
    const [packed, needed, { byId }] = await Promise.all([
      packChart(toChartBody(options, title, note)),
      requiredMetrics(options),
      readIndex(),
    ])
    return { packed, grade: Math.max(0, ...needed.map((id) => byId.get(id)?.grade ?? 0)) }
  }, [JSON.stringify([options, title, note])])
  if (error !== undefined) return <Failed error={error} retry={retry} />
  if (!value) return null
  const address = `${service}/embed/${value.packed}?theme=${theme.value}`
  const frame = `<iframe src="${address}" title="${escapeHtml(title)}" width="${size.width}" height="${size.height}" loading="lazy" style="border: 0; max-width: 100%"></iframe>`
  return (
    <Snippet title="Embed" text={frame}>
      <p class="muted">{visibilityNote(value.grade)}</p>
    </Snippet>
  )
}

/** Embedded charts show what a caller without a key may see. */
function visibilityNote(grade: number): string {
  if (access.value?.access === 'open') return 'Everyone sees all of it, as on this service.'
  if (grade > tiers.demo.grade) return `Others cannot see it without a key: it needs tier ${tierForGrade(grade)}.`
  return `Others see the newest ${tiers.demo.historyDays} days only, as everyone does without a key.`
}

import { useEffect, useState } from 'preact/hooks'
import { chartDefaults } from '#contract/chart-options.ts'
import { tierForGrade, tiers } from '#contract/tiers.ts'
import { pathTo, toHref } from '../app/router.ts'
import { theme } from '../app/theme.ts'
import { access, account, act } from '../data/accounts.ts'
import { pinChart } from '../data/boards.ts'
import { type CatalogueIndex, readIndex } from '../data/catalogue.ts'
import { downloadPath } from '../data/columns.ts'
import { useAnswer } from '../data/use-answer.ts'
import { Button } from '../parts/button.tsx'
import { Code, Snippet } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Failed } from '../parts/failed.tsx'
import { useAttempt } from '../parts/use-attempt.ts'
import { packChart, toChartBody } from './chart-body.ts'
import { metricIds, type ShareProps } from './chart-options.ts'
import { composeChart, requiredMetrics } from './compose.ts'
import { pngFile, saveFile, svgFile } from './picture-file.ts'
import { createSnippets, escapeHtml } from './snippets.ts'
import { sourceLine } from './source-line.ts'

export function ShareChoices(props: ShareProps) {
  const { options, days, title, note } = props
  const { problem, attempt } = useAttempt()
  const [index, setIndex] = useState<CatalogueIndex>()
  useEffect(() => {
    // Without the index, the SQL snippet is left out.
    readIndex().then(setIndex, () => undefined)
  }, [])
  const ids = metricIds(options)
  const name = ids.slice(0, 3).join('-') || 'chart'
  const service = new URL(document.baseURI).href.replace(/\/$/, '')
  const [formula] = options.formulas ?? []
  const range = { ...(days && { from: days[0], to: days[1] }), ...(formula && { formula: formula.expression }) }

  /** Saved files have the title that the page shows itself, and name the data. */
  const save = (kind: 'png' | 'svg') => () =>
    attempt(async () => {
      const size = { width: 1_200, height: 600, theme: theme.value }
      const specification = { ...(await composeChart({ ...options, title }, size)), source: sourceLine() }
      saveFile(`${name}.${kind}`, kind === 'png' ? await pngFile(specification) : svgFile(specification))
    })

  return (
    <>
      <div class="choices">
        <Button onClick={save('png')}>PNG</Button>
        <Button onClick={save('svg')}>SVG</Button>
        {ids.length > 0 && (
          <>
            <a class="pill" href={downloadPath(ids, 'csv', range)} download={`${name}.csv`}>
              CSV
            </a>
            <a class="pill" href={downloadPath(ids, 'json', range)} download={`${name}.json`}>
              JSON
            </a>
          </>
        )}
        <CopyButton text={() => location.href}>Copy link</CopyButton>
        <PinButton {...props} />
      </div>
      {problem && <p role="alert">{problem}</p>}
      {options.heatmap === undefined && <Embed options={options} title={title} note={note} service={service} />}
      <PictureAddress {...props} />
      {createSnippets(options, title, service, index).map((snippet) => (
        <Snippet key={snippet.name} title={snippet.name} text={snippet.text} />
      ))}
    </>
  )
}

function PinButton({ options, title, note }: ShareProps) {
  const [isPinned, setPinned] = useState(false)
  const { problem, attempt } = useAttempt()
  const pin = () =>
    attempt(async () => {
      const body = toChartBody(options, title, note)
      await pinChart({ title: body.title ?? title, address: pathTo('chart', { chart: await packChart(body) }) })
      setPinned(true)
    })
  return (
    <>
      {isPinned ? (
        <a class="pill" href={toHref(pathTo('board'))}>
          Pinned: open the board
        </a>
      ) : (
        <Button onClick={() => void pin()}>Pin to the board</Button>
      )}
      {problem && <p role="alert">{problem}</p>}
    </>
  )
}

const size = { width: 800, height: 460 }

interface EmbedProps extends Pick<ShareProps, 'options' | 'title' | 'note'> {
  /** URL of the app, without a trailing slash. */
  readonly service: string
}

/** HTML for embedding a chart on another site. */
function Embed({ options, title, note, service }: EmbedProps) {
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

const maxNameLength = 100
const pixelRatio = 2

/** Public link to the chart with its owner's data access, valid until revoked. Requires chart rights. */
function PictureAddress({ options, title, note }: ShareProps) {
  const [created, setCreated] = useState<string>()
  const { problem, attempt } = useAttempt()
  const tier = account.value?.tier
  if (tier === undefined || tier === 'free') return null
  const create = () =>
    attempt(async () => {
      const chart = { ...toChartBody(options, title, note), theme: theme.value, pixel_ratio: pixelRatio }
      const [picture] = await act('POST /v1/pictures', {
        body: { name: title.slice(0, maxNameLength) || 'Chart', chart },
      })
      if (picture) setCreated(imageTag(picture.png_url, title))
    })
  return (
    <div class="snippet">
      <h3>Picture for other pages, with your access rights</h3>
      {created === undefined ? (
        <p class="muted">
          <Button onClick={() => void create()}>Create an address</Button> Everyone with the address sees the chart as
          you do. Each view draws it again and counts as one of your requests.
        </p>
      ) : (
        <>
          <CopyButton text={created} />
          <Code>{created}</Code>
          <p class="muted">
            It is valid until you remove it on the page of your <a href={toHref(pathTo('account'))}>account</a>.
          </p>
        </>
      )}
      {problem && <p role="alert">{problem}</p>}
    </div>
  )
}

const imageTag = (address: string, title: string): string =>
  `<img src="${address}" alt="${escapeHtml(title)}" width="${chartDefaults.width}" height="${chartDefaults.height}" style="max-width: 100%; height: auto">`

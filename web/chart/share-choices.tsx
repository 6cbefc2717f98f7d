import { useState } from 'preact/hooks'
import { chartDefaults, type ThemeName } from '#contract/chart-options.ts'
import { tierForGrade, tiers } from '#contract/tiers.ts'
import { writeChartCsv, writeChartRows } from '#render/draw/chart-table.ts'
import { pathTo, toHref } from '../app/router.ts'
import { theme } from '../app/theme.ts'
import { access, account, act } from '../data/accounts.ts'
import { pinChart } from '../data/boards.ts'
import { readIndex } from '../data/catalogue.ts'
import { Button } from '../parts/button.tsx'
import { Code, Snippet } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Failed } from '../parts/failed.tsx'
import { Select } from '../parts/select.tsx'
import { useAnswer } from '../parts/use-answer.tsx'
import { useAttempt } from '../parts/use-attempt.ts'
import { type ChartBody, maxTexts, packChart, toChartBody } from './chart-body.ts'
import type { ShareProps } from './chart-options.ts'
import { composeChart, requiredMetrics } from './compose.ts'
import { pixelRatio, pngFile, printPicture, saveFile, svgFile } from './picture-file.ts'
import { escapeHtml, type SharedChart, snippetLanguages, snippets } from './snippets.ts'
import { sourceLine } from './source-line.ts'

/** Without a trailing slash. */
const service = new URL(document.baseURI).href.replace(/\/$/, '')

export function ShareChoices(props: ShareProps) {
  const { options, days } = props
  const { problem, attempt } = useAttempt()
  const [title, setTitle] = useState(props.title)
  const [note, setNote] = useState(props.note ?? '')
  const [shape, setShape] = useState<keyof typeof shapes>('2:1')
  const [look, setLook] = useState(theme.value)
  const [isCopied, setCopied] = useState(false)
  const takesKeys = access.value?.access !== 'open'
  const hasKey = account.value != null && account.value.tier !== 'free'
  const body = toChartBody(options, title, note)

  /** Files include the title, which the page shows itself, and the source. */
  const compose = async () => {
    const size = { ...shapes[shape], theme: look, isExact: true }
    return { ...(await composeChart({ ...options, title, subtitle: note }, size)), source: sourceLine() }
  }
  const save = (kind: keyof typeof fileTypes) => () =>
    attempt(async () => {
      const write = { png: pngFile, svg: svgFile, csv: writeChartCsv, json: writeChartRows }[kind]
      saveFile(`${fileName(title)}.${kind}`, await write(await compose()), fileTypes[kind])
    })
  const copy = () =>
    attempt(async () => {
      // Some browsers allow it only if it is asked for before the picture is drawn.
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': compose().then(pngFile) })])
      setCopied(true)
    })

  return (
    <>
      <div class="choices">
        <input
          class="field"
          aria-label="Title"
          maxLength={maxTexts.title}
          value={title}
          onInput={({ currentTarget }) => setTitle(currentTarget.value)}
        />
        <input
          class="field"
          aria-label="Subtitle"
          placeholder="Subtitle"
          maxLength={maxTexts.subtitle}
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <Select label="Shape" value={shape} choices={shapeChoices} onChange={setShape} />
        <Select
          label="Theme"
          value={look}
          choices={[
            ['light', 'Light'],
            ['dark', 'Dark'],
          ]}
          onChange={setLook}
        />
      </div>
      <div class="choices">
        <Button onClick={() => void copy()}>{isCopied ? 'Copied' : 'Copy image'}</Button>
        <Button onClick={save('png')}>PNG</Button>
        <Button onClick={save('svg')}>SVG</Button>
        <Button onClick={() => void attempt(async () => printPicture(await compose()))}>PDF or print</Button>
        <Button onClick={save('csv')}>CSV</Button>
        <Button onClick={save('json')}>JSON</Button>
        <CopyButton text={() => location.href}>Copy link</CopyButton>
        <PinButton body={body} />
      </div>
      {problem && <p role="alert">{problem}</p>}
      {options.heatmap === undefined && <Embed body={body} options={options} title={title} look={look} />}
      <PictureAddress body={body} title={title} />
      <Programs {...{ options, days, title, service, takesKeys, hasKey }} />
    </>
  )
}

const shapes = {
  '2:1': { width: 1_200, height: 600 },
  '16:9': { width: 1_200, height: 675 },
  '1:1': { width: 1_080, height: 1_080 },
  '9:16': { width: 1_080, height: 1_920 },
} as const
const shapeChoices = (['2:1', '16:9', '1:1', '9:16'] as const).map((name) => {
  const { width, height } = shapes[name]
  return [name, `${name}, PNG of ${width * pixelRatio} × ${height * pixelRatio} pixels`] as const
})

const fileTypes = { png: 'image/png', svg: 'image/svg+xml', csv: 'text/csv', json: 'application/json' } as const
const maxFileNameLength = 80

/** Lower case, without characters special to file systems or shells. */
const fileName = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, maxFileNameLength)
    .replaceAll(/^-|-$/g, '') || 'chart'

function Programs(chart: SharedChart) {
  const [language, setLanguage] = useState<keyof typeof snippets>('curl')
  const { value, error, retry } = useAnswer(
    async () => ({ language, text: await snippets[language](chart) }),
    [language, JSON.stringify(chart)],
  )
  return (
    <section aria-label="Programs">
      <div class="choices">
        {snippetLanguages.map((name) => (
          <Button key={name} aria-pressed={name === language} onClick={() => setLanguage(name)}>
            {name}
          </Button>
        ))}
      </div>
      {error !== undefined ? (
        <Failed error={error} retry={retry} />
      ) : (
        value?.language === language && <Snippet text={value.text} />
      )}
    </section>
  )
}

interface BodyProps {
  readonly body: ChartBody
}

function PinButton({ body }: BodyProps) {
  const [isPinned, setPinned] = useState(false)
  const { problem, attempt } = useAttempt()
  const pin = () =>
    attempt(async () => {
      await pinChart({ title: body.title ?? '', address: pathTo('chart', { chart: await packChart(body) }) })
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

type EmbedProps = BodyProps & Pick<ShareProps, 'options' | 'title'> & { readonly look: ThemeName }

/** HTML for other sites. */
function Embed({ body, options, title, look }: EmbedProps) {
  const { value, error, retry } = useAnswer(async () => {
    const [packed, needed, { byId }] = await Promise.all([packChart(body), requiredMetrics(options), readIndex()])
    return { packed, grade: Math.max(0, ...needed.map((id) => byId.get(id)?.grade ?? 0)) }
  }, [JSON.stringify(body)])
  if (error !== undefined) return <Failed error={error} retry={retry} />
  if (!value) return null
  const address = `${service}/embed/${value.packed}?theme=${look}`
  const frame = `<iframe src="${address}" title="${escapeHtml(title)}" width="${size.width}" height="${size.height}" loading="lazy" style="border: 0; max-width: 100%"></iframe>`
  return (
    <Snippet title="Embed" text={frame}>
      <p class="muted">{visibilityNote(value.grade)}</p>
    </Snippet>
  )
}

/** Embedded charts show what needs no key. */
function visibilityNote(grade: number): string {
  if (access.value?.access === 'open') return 'Other sites cannot show it: this service runs with ACCESS=open.'
  if (grade > tiers.demo.grade) return `Others cannot see it without a key: it needs tier ${tierForGrade(grade)}.`
  return `Others see the newest ${tiers.demo.historyDays} days only, as everyone does without a key.`
}

const maxNameLength = 100

/** Public link to the chart with its owner's data access, valid until revoked. */
function PictureAddress({ body, title }: BodyProps & Pick<ShareProps, 'title'>) {
  const [created, setCreated] = useState<string>()
  const { problem, attempt } = useAttempt()
  const tier = account.value?.tier
  if (tier === undefined || tier === 'free') return null
  const create = () =>
    attempt(async () => {
      const chart = { ...body, theme: theme.value, pixel_ratio: pixelRatio }
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

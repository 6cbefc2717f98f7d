import { useEffect, useRef, useState } from 'preact/hooks'
import { type ChartTemplate, templateBody } from '#render/request/template.ts'
import { priceTemplates } from '#render/request/templates/price.ts'
import { pathTo, replaceQuery, route, toHref, withQuery } from '../../app/router.ts'
import { theme } from '../../app/theme.ts'
import { useTitle } from '../../app/title.ts'
import { type ChartOptions, completeOptions } from '../../chart/chart-options.ts'
import { composeChart, requiredMetrics } from '../../chart/compose.ts'
import { drawInPage, waitForDrawSlot } from '../../chart/draw.ts'
import { TemplateChart } from '../../chart/template-chart.tsx'
import { readIndex } from '../../data/catalogue.ts'
import { explain } from '../../data/failure.ts'
import { Button } from '../../parts/button.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { useNear } from '../../parts/use-near.ts'

/** The only importer, so that pages load the parts of few charts in one script. */
export const loadTemplates = () => import('#render/request/templates.ts')

const storageKey = 'favourites'

type Named = readonly [name: string, template: ChartTemplate]

/** All templates by family, one of them large if the address has its name. */
export function Charts() {
  const { query } = route.value
  const chosen = query.get('t') ?? ''
  const words = (query.get('q') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  // Those of prices are drawn first; the others would make the page's script half as long again.
  const [isDrawn, setDrawn] = useState(false)
  const needsAll = isDrawn || chosen !== '' || words.length > 0
  const { value, failure } = useAnswer(
    async () => (needsAll ? (await loadTemplates()).templateGroups : undefined),
    [needsAll],
  )
  const templateGroups: Readonly<Record<string, Readonly<Record<string, ChartTemplate>>>> = value ?? {
    Price: priceTemplates,
  }
  const templates: Readonly<Record<string, ChartTemplate>> = Object.assign({}, ...Object.values(templateGroups))
  const template = Object.hasOwn(templates, chosen) ? templates[chosen] : undefined
  useTitle(template?.title ?? 'Charts')
  const [favourites, setFavourites] = useState(readFavourites)
  const toggle = (name: string): void => {
    const next = favourites.includes(name) ? favourites.filter((one) => one !== name) : [...favourites, name]
    localStorage.setItem(storageKey, JSON.stringify(next))
    setFavourites(next)
  }
  const isFound = ([name, { title, subtitle }]: Named) =>
    words.every((word) => `${name} ${title} ${subtitle}`.toLowerCase().includes(word))
  const families: readonly (readonly [family: string, group: readonly Named[]])[] = [
    ['Favourites', Object.entries(templates).filter(([name]) => favourites.includes(name))],
    ...Object.entries(templateGroups).map(([family, group]) => [family, Object.entries(group)] as const),
  ]
  const groups = families
    .map(([family, group]) => [family, group.filter(isFound)] as const)
    .filter(([, group]) => group.length > 0)
  return (
    <div class="chart-list">
      <h1>Charts</h1>
      {template && <Large key={chosen} name={chosen} template={template} />}
      <input
        class="field"
        type="search"
        aria-label="Search charts"
        placeholder="Search charts"
        value={query.get('q') ?? ''}
        onInput={({ currentTarget }) => replaceQuery({ q: currentTarget.value || undefined })}
      />
      {failure}
      {groups.length === 0 && (
        <p>
          No chart has these words.{' '}
          <a href={toHref(`${pathTo('metrics')}?${new URLSearchParams({ q: words.join(' ') })}`)}>Search metrics</a>:
          each has a chart of its own.
        </p>
      )}
      {groups.map(([family, group]) => (
        <section key={family}>
          <h2>{family}</h2>
          <ul>
            {group.map(([name, one]) => (
              <li key={name}>
                <a href={toHref(withQuery({ t: name }))} onClick={() => scrollTo(0, 0)}>
                  <Thumbnail template={one} onDrawn={() => setDrawn(true)} />
                  <b>{one.title}</b>
                </a>
                <Button
                  aria-label={`${favourites.includes(name) ? 'Kept' : 'Keep'}: ${one.title}`}
                  aria-pressed={favourites.includes(name)}
                  onClick={() => toggle(name)}
                >
                  {favourites.includes(name) ? 'Kept' : 'Keep'}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function readFavourites(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}

/** The workbench draws cycles as multiples of their first day. */
export const fitsWorkbench = ({ histogram, heatmap, x_axis, indexed }: ChartTemplate): boolean =>
  !histogram && !heatmap && (x_axis !== 'day_offset' || indexed === true)

function Large({ name, template }: { readonly name: string; readonly template: ChartTemplate }) {
  const { histogram, heatmap, days, range = days && '6m', scale } = template
  const isDistribution = (histogram ?? heatmap)?.metric === 'cost_basis_distribution'
  const view = { ...(range && { range }), ...(scale && { scale }) }
  return (
    <>
      <TemplateChart template={template} height={480} />
      <p class="chart-tools">
        {fitsWorkbench(template) && (
          <a href={toHref(`${pathTo('workbench')}?${new URLSearchParams({ template: name, ...view })}`)}>
            Open in the workbench
          </a>
        )}
        {isDistribution && <a href={toHref(pathTo('cohorts'))}>The cost basis on another day</a>}
      </p>
    </>
  )
}

const [width, height] = [600, 320]

/** Asks for nothing that the catalogue lacks. */
async function compose(options: ChartOptions) {
  const [needed, { byId }] = await Promise.all([requiredMetrics(completeOptions(options)), readIndex()])
  const missing = needed.find((id) => !byId.has(id))
  if (missing !== undefined) throw new Error(`there is no data of ${missing} yet`)
  return composeChart(options, { width, height, theme: theme.value })
}

interface ThumbnailProps {
  readonly template: ChartTemplate
  readonly onDrawn: () => void
}

function Thumbnail({ template, onDrawn }: ThumbnailProps) {
  const { target, isNear } = useNear<HTMLDivElement>()
  const picture = useRef<HTMLDivElement>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    if (!isNear) return
    let isWanted = true
    const { title: _, subtitle: __, start_date: ___, ...options } = templateBody(template)
    compose(options)
      .then(async (specification) => {
        await waitForDrawSlot()
        if (!isWanted) return
        picture.current?.replaceChildren(drawInPage(specification).svg)
        setProblem('')
      })
      .catch((error: unknown) => isWanted && setProblem(explain(error).message))
      .finally(onDrawn)
    return () => {
      isWanted = false
    }
  }, [isNear, theme.value])
  return (
    <div ref={target} class="thumbnail" aria-hidden="true">
      <div ref={picture} />
      {problem && <span class="muted">{problem}</span>}
    </div>
  )
}

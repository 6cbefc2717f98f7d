import { useEffect, useState } from 'preact/hooks'
import { pathTo, toHref } from '../app/router.ts'
import { theme } from '../app/theme.ts'
import { pinChart } from '../data/boards.ts'
import { type CatalogueIndex, readIndex } from '../data/catalogue.ts'
import { downloadPath } from '../data/columns.ts'
import { Button } from '../parts/button.tsx'
import { Snippet } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { useAttempt } from '../parts/use-attempt.ts'
import { packChart, toChartBody } from './chart-body.ts'
import { metricIds, type ShareProps } from './chart-options.ts'
import { composeChart } from './compose.ts'
import { Embed } from './embed-snippet.tsx'
import { PictureAddress } from './picture-address.tsx'
import { pngFile, saveFile, svgFile } from './picture-file.ts'
import { createSnippets } from './snippets.ts'
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

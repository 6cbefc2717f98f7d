import { useEffect, useState } from 'preact/hooks'
import { theme } from '../app/theme.ts'
import { type CatalogueIndex, readIndex } from '../data/catalogue.ts'
import { fileOfColumns } from '../data/columns.ts'
import { explain } from '../data/failure.ts'
import { Code } from '../parts/code.tsx'
import { Copy } from '../parts/copy.tsx'
import { metricsOf, type ShareProps } from './ask.ts'
import { composeChart } from './compose.ts'
import { Embed } from './embed.tsx'
import { PictureAddress } from './picture-address.tsx'
import { pngFile, saveFile, svgFile } from './picture-file.ts'
import { Pin } from './pin.tsx'
import { snippetsOf } from './snippets.ts'
import { sourceLine } from './source-line.ts'

/** Files, links, and requests for the numbers of a chart. */
export function ShareChoices(props: ShareProps) {
  const { asked, days, title, note } = props
  const [problem, setProblem] = useState<string>()
  const [index, setIndex] = useState<CatalogueIndex>()
  useEffect(() => {
    // Without it there is one snippet less.
    readIndex().then(setIndex, () => undefined)
  }, [])
  const ids = metricsOf(asked)
  const name = ids.slice(0, 3).join('-') || 'chart'
  const service = new URL(document.baseURI).href.replace(/\/$/, '')
  const [formula] = asked.formulas ?? []
  const range = { ...(days && { from: days[0], to: days[1] }), ...(formula && { formula: formula.expression }) }

  /** Files keep the title that the page writes itself, and say whose data they show. */
  const save = (kind: 'png' | 'svg') => async () => {
    try {
      setProblem(undefined)
      const size = { width: 1_200, height: 600, theme: theme.value }
      const specification = { ...(await composeChart({ ...asked, title }, size)), source: sourceLine() }
      saveFile(`${name}.${kind}`, kind === 'png' ? await pngFile(specification) : svgFile(specification))
    } catch (error) {
      setProblem(explain(error).what)
    }
  }

  return (
    <>
      <div class="choices">
        <button type="button" class="pill" onClick={save('png')}>
          PNG
        </button>
        <button type="button" class="pill" onClick={save('svg')}>
          SVG
        </button>
        {ids.length > 0 && (
          <>
            <a class="pill" href={fileOfColumns(ids, 'csv', range)} download={`${name}.csv`}>
              CSV
            </a>
            <a class="pill" href={fileOfColumns(ids, 'json', range)} download={`${name}.json`}>
              JSON
            </a>
          </>
        )}
        <Copy text={() => location.href}>Copy link</Copy>
        <Pin {...props} />
      </div>
      {problem && <p role="alert">{problem}</p>}
      {asked.heatmap === undefined && <Embed asked={asked} title={title} note={note} service={service} />}
      <PictureAddress {...props} />
      {snippetsOf(asked, title, service, index).map((snippet) => (
        <div class="snippet" key={snippet.name}>
          <h3>{snippet.name}</h3>
          <Copy text={snippet.text} />
          <Code>{snippet.text}</Code>
        </div>
      ))}
    </>
  )
}

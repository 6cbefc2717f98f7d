import { useState } from 'preact/hooks'
import { usual } from '#contract/chart-words.ts'
import { pathTo, toHref } from '../app/router.ts'
import { theme } from '../app/theme.ts'
import { account, act } from '../data/accounts.ts'
import { explain } from '../data/failure.ts'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { toChartBody } from './chart-body.ts'
import type { ShareProps } from './chart-options.ts'
import { escapeHtml } from './snippets.ts'

const maxNameLength = 100
const pixelRatio = 2

/** Public link to the chart with its owner's data access, valid until revoked. Requires chart rights. */
export function PictureAddress({ options, title, note }: ShareProps) {
  const [made, setMade] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const tier = account.value?.tier
  if (tier === undefined || tier === 'free') return null
  const make = async (): Promise<void> => {
    try {
      setProblem(undefined)
      const chart = { ...toChartBody(options, title, note), theme: theme.value, pixel_ratio: pixelRatio }
      const [picture] = await act('POST /v1/pictures', {
        body: { name: title.slice(0, maxNameLength) || 'Chart', chart },
      })
      if (picture) setMade(imageTag(picture.png_url, title))
    } catch (error) {
      setProblem(explain(error).message)
    }
  }
  return (
    <div class="snippet">
      <h3>Picture for other pages, with your access rights</h3>
      {made === undefined ? (
        <p class="muted">
          <Button onClick={() => void make()}>Create an address</Button> Everyone with the address sees the chart as you
          do. Each view draws it anew and counts as one of your requests.
        </p>
      ) : (
        <>
          <CopyButton text={made} />
          <Code>{made}</Code>
          <p class="muted">
            It holds until you remove it on the page of your <a href={toHref(pathTo('account'))}>account</a>.
          </p>
        </>
      )}
      {problem && <p role="alert">{problem}</p>}
    </div>
  )
}

const imageTag = (address: string, title: string): string =>
  `<img src="${address}" alt="${escapeHtml(title)}" width="${usual.width}" height="${usual.height}" style="max-width: 100%; height: auto">`

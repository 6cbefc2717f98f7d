import { useState } from 'preact/hooks'
import { chartDefaults } from '#contract/chart-options.ts'
import { pathTo, toHref } from '../app/router.ts'
import { theme } from '../app/theme.ts'
import { account, act } from '../data/accounts.ts'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { useAttempt } from '../parts/use-attempt.ts'
import { toChartBody } from './chart-body.ts'
import type { ShareProps } from './chart-options.ts'
import { escapeHtml } from './snippets.ts'

const maxNameLength = 100
const pixelRatio = 2

/** Public link to the chart with its owner's data access, valid until revoked. Requires chart rights. */
export function PictureAddress({ options, title, note }: ShareProps) {
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

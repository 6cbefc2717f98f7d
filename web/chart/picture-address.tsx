import { useState } from 'preact/hooks'
import { usual } from '#contract/chart-words.ts'
import { addressOf, pathTo } from '../app/router.ts'
import { theme } from '../app/theme.ts'
import { account, act } from '../data/accounts.ts'
import { explain } from '../data/failure.ts'
import { Code } from '../parts/code.tsx'
import { Copy } from '../parts/copy.tsx'
import type { ShareProps } from './ask.ts'
import { bodyOf } from './chart-body.ts'
import { escaped } from './escaped.ts'

const longestName = 100
const pixelRatio = 2

/** For who may draw pictures: an address that shows the chart to everybody as its maker sees it, until it is removed. */
export function PictureAddress({ asked, title, note }: ShareProps) {
  const [made, setMade] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const tier = account.value?.tier
  if (tier === undefined || tier === 'free') return null
  const make = async (): Promise<void> => {
    try {
      setProblem(undefined)
      const chart = { ...bodyOf(asked, title, note), theme: theme.value, pixel_ratio: pixelRatio }
      const [picture] = await act('POST /v1/pictures', {
        body: { name: title.slice(0, longestName) || 'Chart', chart },
      })
      if (picture) setMade(imageOf(picture.png_url, title))
    } catch (error) {
      setProblem(explain(error).what)
    }
  }
  return (
    <div class="snippet">
      <h3>Picture for other pages, with your access rights</h3>
      {made === undefined ? (
        <p class="muted">
          <button type="button" class="pill" onClick={() => void make()}>
            Create an address
          </button>{' '}
          Everyone with the address sees the chart as you do. Each view draws it anew and counts as one of your
          requests.
        </p>
      ) : (
        <>
          <Copy text={made} />
          <Code>{made}</Code>
          <p class="muted">
            It holds until you remove it on the page of your <a href={addressOf(pathTo('account'))}>account</a>.
          </p>
        </>
      )}
      {problem && <p role="alert">{problem}</p>}
    </div>
  )
}

const imageOf = (address: string, title: string): string =>
  `<img src="${address}" alt="${escaped(title)}" width="${usual.width}" height="${usual.height}" style="max-width: 100%; height: auto">`

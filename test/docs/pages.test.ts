import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { describeSetting } from '#root/config.ts'
import { markdownIn, pages, root } from './support/pages.ts'

/** The text without code, in which brackets are no links. */
const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '`…`')

const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** Anchors of a page. */
function placesOf(text: string): Set<string> {
  const places = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id))
  const counts = new Map<string, number>()
  for (const [, heading = ''] of text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading)
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    places.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return places
}
const places = new Map([...pages].map(([name, text]) => [name, placesOf(text)]))

test('every link between pages leads to a file and a place that are there', () => {
  const broken: string[] = []
  let count = 0
  for (const [page, text] of pages) {
    for (const [link, target = ''] of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      count++
      const [file = '', place] = target.split('#')
      const name = file === '' ? page : path.posix.normalize(path.posix.join(path.posix.dirname(page), file))
      const isThere = pages.has(name) || existsSync(path.join(root, name))
      if (!isThere || (place !== undefined && !places.get(name)?.has(place))) broken.push(`${page}: ${link}`)
    }
  }
  expect(count).toBeGreaterThan(500)
  expect(broken).toEqual([])
})

test('every picture has a text alternative', () => {
  const pictures = [...pages].flatMap(([page, text]) =>
    [...prose(text).matchAll(/!\[([^\]]*)\]\(([^)]+)\)|<img[^>]*>/g)].map(([source, words = '']) => ({
      page,
      source,
      words,
    })),
  )
  expect(pictures.length).toBeGreaterThan(100)
  expect(pictures.filter(({ words }) => words.trim().length < 3)).toEqual([])
})

test('no page is larger than 60 kB: divide it', () => {
  const sizes = [...pages.keys()].map((name) => [name, statSync(path.join(root, name)).size] as const)
  expect(sizes.filter(([, size]) => size > 60_000)).toEqual([])
})

test('README is read in one go: 1,600 words at most', () => {
  expect(pages.get('README.md')!.split(/\s+/).length).toBeLessThanOrEqual(1_600)
})

test('docs/README.md leads to every page', () => {
  const index = pages.get('docs/README.md')!
  const missing = markdownIn('docs').filter((name) => !index.includes(`(${path.posix.basename(name)})`))
  expect(missing).toEqual(['docs/README.md'])
})

test('docs/api.md gives each tier the requests a day that it has', () => {
  const table = /\| tier \| history[\s\S]*?\n\n/.exec(pages.get('docs/api.md')!)?.[0] ?? ''
  const told = [...table.matchAll(/^\| (demo|free|pro|enterprise)\b.*\| ([\d,]+) \|$/gm)]
  expect(told.map(([, tier]) => tier)).toEqual(['demo', 'free', 'pro', 'enterprise'])
  for (const [, tier, requests] of told) {
    const { defaultText: usual } = describeSetting(`${tier!.toUpperCase()}_DAILY_REQUESTS` as 'PRO_DAILY_REQUESTS')
    expect(requests).toBe(Number(usual).toLocaleString('en'))
  }
})

import { expect, test } from 'vitest'
import { readGuide, readSections } from '#web/build/guide-modules.ts'
import { readArticle } from '#web/build/read-article.ts'
import type { Part } from '#web/pages/guides/article.ts'
import { guides } from '#web/pages/guides/guide-list.ts'
import { searchSections } from '#web/pages/guides/section-search.ts'

test('Markdown becomes elements, and links lead to guides, pages and sections', () => {
  const markdown = [
    '# A *guide*',
    'Text with `a < b`, [a table](tables.md#days), [metrics](metrics/README.md), [MVRV](metrics/valuation.md#mvrv), [a file](../LICENSE) &amp; x_<y>, [more](#more-1).',
    '## More',
    '## More',
    '- one\n- **two**',
    '| name | n |\n|---|--:|\n| x | 1 |',
    '```sh\nrun <it>\n```',
  ].join('\n\n')
  expect(readArticle(markdown, 'docs/accounts.md')).toEqual({
    title: 'A guide',
    parts: [
      {
        tag: 'p',
        parts: [
          'Text with ',
          { tag: 'code', parts: ['a < b'] },
          ', ',
          { tag: 'a', href: '/docs/tables#days', parts: ['a table'] },
          ', ',
          { tag: 'a', href: '/metrics', parts: ['metrics'] },
          ', ',
          { tag: 'a', href: '/metrics/mvrv', parts: ['MVRV'] },
          ', ',
          'a file',
          ' & x_',
          '<y>',
          ', ',
          { tag: 'a', href: '#more-1', parts: ['more'] },
          '.',
        ],
      },
      { tag: 'h2', id: 'more', parts: ['More'] },
      { tag: 'h2', id: 'more-1', parts: ['More'] },
      {
        tag: 'ul',
        parts: [
          { tag: 'li', parts: ['one'] },
          { tag: 'li', parts: [{ tag: 'strong', parts: ['two'] }] },
        ],
      },
      {
        tag: 'table',
        parts: [
          {
            tag: 'tr',
            parts: [
              { tag: 'th', parts: ['name'] },
              { tag: 'th', isNumber: true, parts: ['n'] },
            ],
          },
          {
            tag: 'tr',
            parts: [
              { tag: 'td', parts: ['x'] },
              { tag: 'td', isNumber: true, parts: ['1'] },
            ],
          },
        ],
      },
      { tag: 'pre', parts: [{ tag: 'code', parts: ['run <it>'] }] },
    ],
  })
})

test('an error names the file and what guides cannot show', () => {
  expect(() => readArticle('# A\n\n<details>x</details>', 'docs/x.md')).toThrow(
    /docs\/x.md: .* cannot show this HTML: <details>/,
  )
  expect(() => readArticle('No title', 'docs/x.md')).toThrow(/docs\/x.md does not begin with a title/)
})

test('every link between guides leads to a section', () => {
  const articles = new Map(guides.map(({ name }) => [name as string, readGuide(name).parts]))
  const all = (parts: readonly Part[]): Exclude<Part, string>[] =>
    parts.flatMap((part) => (typeof part === 'string' ? [] : [part, ...all(part.parts)]))
  const ids = new Map([...articles].map(([name, parts]) => [name, new Set(all(parts).flatMap(({ id }) => id ?? []))]))
  const broken = [...articles].flatMap(([name, parts]) =>
    all(parts).flatMap(({ href }) => {
      const found = /^(?:\/docs\/([\w-]+))?#(.+)$/.exec(href ?? '')
      return found && !ids.get(found[1] ?? name)?.has(found[2]!) ? [`${name}: ${href}`] : []
    }),
  )
  expect(broken).toEqual([])
})

test('a search finds sections with every word, matching headings first', () => {
  const sections = readSections()
  expect(searchSections(sections, 'behind a PROXY', 3)[0]?.section).toMatchObject({
    guide: 'operate',
    id: 'behind-a-proxy',
  })
  const found = searchSections(sections, 'gettxoutsetinfo', 20)
  expect(found.length).toBeGreaterThan(1)
  for (const { excerpt } of found) expect(excerpt.toLowerCase()).toContain('gettxoutsetinfo')
  expect(searchSections(sections, 'proxy zxqvk', 20)).toEqual([])
  expect(searchSections(sections, '  ', 20)).toEqual([])
})

test.each([
  ['correlation', 'correlation-of-two-metrics'],
  ['seasonality', 'seasonality-by-month-and-year'],
  ['as of', 'as-of-an-earlier-day-data-as-seen-on-a-date'],
  ['bands', 'bands-of-percentiles-or-of-mean-and-deviations-bollinger-bands'],
  ['z-score', 'z-scores-percentiles-index-compare-metrics'],
  ['candles', 'candles-hours-and-blocks'],
  ['log scale', 'log-scale-or-range-of-one-axis'],
  ['annotation', 'notes-annotations-and-levels'],
  ['save chart', 'save-a-chart-under-a-name'],
  ['pdf', 'export-or-download-csv-json-png-svg-or-pdf'],
  ['embed', 'publish-an-image-share-a-link-or-embed-a-chart'],
  ['cost basis', 'cost-basis-on-a-date-urpd'],
  ['connect claude', 'connect-an-assistant-claude-chatgpt-or-use-the-api'],
])('a search for %s finds first where to click for it', (query, id) => {
  expect(searchSections(readSections(), query, 3)[0]?.section).toMatchObject({ guide: 'pages', id })
})

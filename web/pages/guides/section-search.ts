import type { GuideName } from './guide-list.ts'

/** `id` is empty above the first heading. */
export interface GuideSection {
  readonly guide: GuideName
  readonly heading: string
  readonly id: string
  readonly text: string
}

const excerptLength = 160

/** Sections with every word of the query and an excerpt, matching headings first. */
export function searchSections(sections: readonly GuideSection[], query: string, max: number) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return []
  const found = sections.flatMap((section) => {
    const heading = section.heading.toLowerCase()
    const text = section.text.toLowerCase()
    if (!words.every((word) => heading.includes(word) || text.includes(word))) return []
    const inHeading = words.filter((word) => heading.includes(word)).length
    const place = Math.max(0, text.indexOf(words.find((word) => text.includes(word)) ?? first))
    return [{ section, inHeading, excerpt: excerptAround(section.text, place) }]
  })
  return found
    .sort((a, b) => b.inHeading - a.inHeading)
    .slice(0, max)
    .map(({ section, excerpt }) => ({ section, excerpt }))
}

function excerptAround(text: string, place: number): string {
  const begin = Math.max(0, text.lastIndexOf(' ', Math.max(0, place - excerptLength / 3)))
  const part = text.slice(begin, begin + excerptLength).trim()
  return `${begin > 0 ? '… ' : ''}${part}${begin + excerptLength < text.length ? ' …' : ''}`
}

import articles from 'guide:articles'
import { type ComponentChildren, createElement } from 'preact'
import { useEffect } from 'preact/hooks'
import { type PageProps, pathTo, route, toHref } from '../../app/router.ts'
import { useTitle } from '../../app/title.ts'
import { Failed } from '../../parts/failed.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { type Article, type Element, type Part, toText } from './article.ts'
import { guides } from './guide-list.ts'

export function Guide({ parameters }: PageProps) {
  const guide = guides.find(({ name }) => name === parameters.name)
  useTitle(guide?.title ?? 'Guides')
  const { value, error, retry } = useAnswer(
    async () => (guide ? { name: guide.name, article: (await articles[guide.name]()).default } : undefined),
    [guide?.name],
  )
  const { hash } = route.value
  const isHere = value !== undefined && value.name === guide?.name
  useEffect(() => {
    if (isHere && hash !== '') document.getElementById(decodeURIComponent(hash))?.scrollIntoView()
  }, [isHere, hash, guide?.name])
  if (!guide) {
    return (
      <>
        <h1>No such guide</h1>
        <p>
          <a href={toHref('/guides')}>All guides</a>
        </p>
      </>
    )
  }
  return (
    <div class="guide">
      <nav aria-label="Guides and sections" aria-busy={value === undefined && error === undefined}>
        <a href={toHref('/guides')}>Guides</a>
        <ul>
          {guides.map(({ name, title }) => (
            <li key={name}>
              <a href={toHref(pathTo('guide', { name }))} aria-current={name === guide.name ? 'page' : undefined}>
                {title}
              </a>
              {name === guide.name && isHere && <Sections article={value.article} path={pathTo('guide', { name })} />}
            </li>
          ))}
        </ul>
      </nav>
      <article>
        <h1>{guide.title}</h1>
        {error !== undefined && <Failed error={error} retry={retry} />}
        {isHere ? value.article.parts.map(show) : error === undefined && <Waiting lines={12} />}
      </article>
    </div>
  )
}

function Sections({ article, path }: { readonly article: Article; readonly path: string }) {
  const sections = article.parts.filter((part): part is Element => typeof part === 'object' && part.tag === 'h2')
  return (
    <ul>
      {sections.map((section) => (
        <li key={section.id}>
          <a href={toHref(`${path}#${section.id}`)}>{toText(section)}</a>
        </li>
      ))}
    </ul>
  )
}

function show(part: Part, place: number): ComponentChildren {
  if (typeof part === 'string') return part
  const { tag, parts, id, href, isNumber } = part
  if (tag === 'table') {
    const [head, ...rows] = parts
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keys
      <section key={place} class="wide" aria-label="Table" tabIndex={0}>
        <table>
          <thead>{head && show(head, 0)}</thead>
          <tbody>{rows.map(show)}</tbody>
        </table>
      </section>
    )
  }
  const attributes = {
    key: place,
    ...(id !== undefined && { id }),
    ...(href !== undefined && linkTo(href)),
    ...(isNumber && { class: 'number' }),
    ...(tag === 'pre' && { tabIndex: 0 }),
  }
  return createElement(tag, attributes, ...parts.map(show))
}

function linkTo(href: string) {
  if (href.startsWith('/')) return { href: toHref(href) }
  if (href.startsWith('#')) return { href: toHref(route.peek().path + href) }
  return { href, rel: 'noopener' }
}

import { route } from '../app/router.ts'
import { useTitle } from '../app/title.ts'
import { Suggestions } from '../parts/suggestions.tsx'

export function NotFound() {
  const { path } = route.value
  useTitle('Page not found')
  return (
    <div class="dead-end">
      <h1>Page not found</h1>
      <p>There is no page at {path}.</p>
      <Suggestions words={path.replaceAll(/[^a-z\d]+/gi, ' ').trim()} />
    </div>
  )
}

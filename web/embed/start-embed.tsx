import { render } from 'preact'
import { fontsReady } from '../app/fonts.ts'
import { handleKey } from '../app/keyboard.ts'
import { route } from '../app/router.ts'
import { watchFreshness } from '../data/freshness.ts'
import { EmbeddedChart } from './embedded-chart.tsx'

const root = document.getElementById('chart')
if (!root) throw new Error('the document has no element #chart')
watchFreshness()
document.addEventListener('keydown', (event) => {
  if (!event.ctrlKey && !event.metaKey && !event.altKey && handleKey(event)) event.preventDefault()
})
const [, packed = ''] = /^\/embed\/([^/]+)$/.exec(route.value.path) ?? []
void fontsReady.then(() => render(<EmbeddedChart packed={packed} />, root))

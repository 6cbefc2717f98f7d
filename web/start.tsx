import { render } from 'preact'
import { fontsReady } from './app/fonts.ts'
import { listenToKeys } from './app/keyboard.ts'
import { followLinks } from './app/router.ts'
import { readAccount } from './data/accounts.ts'
import { readIndex } from './data/catalogue.ts'
import { watchFreshness } from './data/freshness.ts'
import { CurrentPage } from './frame/current-page.tsx'
import { Frame } from './frame/frame.tsx'

const root = document.getElementById('app')
if (!root) throw new Error('the document has no element #app')
watchFreshness()
// Nearly every page needs it, and reports errors itself.
readIndex().catch(() => undefined)
// If this fails, pages show public data, and the account page reports the error.
readAccount().catch(() => undefined)
followLinks()
listenToKeys()
void fontsReady.then(() =>
  render(
    <Frame>
      <CurrentPage />
    </Frame>,
    root,
  ),
)

import { useEffect, useRef } from 'preact/hooks'
import { isKeyListShown, pageKeys } from '../app/keyboard.ts'

const globalKeys = [
  ['/', 'Search'],
  ...Object.entries(pageKeys).map(([letter, { name }]) => [`g ${letter}`, name]),
  ['?', 'Show these keys'],
] as const

const chartKeys = [
  ['← →', 'Move the crosshair by a day, with Shift by a week'],
  ['+ −', 'Zoom in, zoom out'],
  ['drag', 'Show the days dragged across; dates and numbers of an axis move or stretch'],
  ['l', 'Logarithmic scale'],
  ['1 … 9', 'Show the last month, three, six, this year, 1, 2 or 4 years, this cycle, everything'],
  ['e', 'Save or share'],
  ['Ctrl+Z Ctrl+Shift+Z', 'Undo and redo a step in the workbench'],
  ['Esc', 'Leave the crosshair'],
] as const

export function KeyList() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="keys-title"
      onClose={() => {
        isKeyListShown.value = false
      }}
    >
      <h2 id="keys-title">Keys</h2>
      <List keys={globalKeys} />
      <h3>In charts</h3>
      <List keys={chartKeys} />
      <form method="dialog">
        <button type="submit" class="pill">
          Close
        </button>
      </form>
    </dialog>
  )
}

function List({ keys }: { readonly keys: readonly (readonly string[])[] }) {
  return (
    <dl>
      {keys.map(([key, what]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  )
}

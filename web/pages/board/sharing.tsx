import { pathTo } from '../../app/router.ts'
import { act } from '../../data/accounts.ts'
import { changeBoard, type OwnBoard } from '../../data/boards.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Field, Form } from '../../parts/form.tsx'

interface SharingProps {
  readonly board: OwnBoard
  readonly onBoard: (board: OwnBoard) => void
}

export function Sharing({ board, onBoard }: SharingProps) {
  const { share } = board
  const save = async ({ title = '' }: Readonly<Record<string, string>>) => {
    const changed = await changeBoard((newest) => ({ ...newest, title }))
    const shared = share === null ? (await act('POST /v1/board/share'))[0] : undefined
    onBoard({ ...changed, ...shared })
  }
  const end = async () => onBoard({ ...board, ...(await act('DELETE /v1/board/share'))[0] })
  return (
    <section class="sharing">
      <h2>{share === null ? 'Share this board' : 'This board is shared'}</h2>
      {share !== null && <Shared address={shareUrl(share)} />}
      <Form action={share === null ? 'Share it' : 'Save the title'} isMain={share === null} onSubmit={save}>
        <Field label="Title" name="title" autocomplete="off" value={board.title} optional />
      </Form>
      {share !== null && <Form action="Stop sharing" isMain={false} onSubmit={end} />}
    </section>
  )
}

function Shared({ address }: { readonly address: string }) {
  return (
    <>
      <p class="muted">
        Anyone with this address sees the charts as far as their own access allows, and cannot change them.
      </p>
      <pre class="secret">{address}</pre>
      <div class="actions">
        <CopyButton text={address}>Copy address</CopyButton>
      </div>
    </>
  )
}

const shareUrl = (share: string): string =>
  new URL(`${pathTo('board').slice(1)}?shared=${encodeURIComponent(share)}`, document.baseURI).href

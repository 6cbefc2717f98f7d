import { type Account, act } from '../../data/accounts.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { RowList } from './listed.tsx'
import { RowTitle } from './made.tsx'
import { Revoke } from './revoke.tsx'

const remark =
  'Anyone who has one sees the chart with your access rights, and each view counts as your request. To create one, use “Save or share” on a chart.'

/** Addresses by which everybody sees a chart with the rights of the account; nothing where there are none. */
export const Pictures = ({ account }: { readonly account: Account }) => (
  <RowList id="pictures" title="Addresses of pictures" remark={remark} account={account} action="GET /v1/pictures">
    {({ id, name, created_at, png_url }, again) => (
      <li key={id}>
        <RowTitle name={name} at={created_at} />
        <a class="pill" href={png_url} target="_blank" rel="noopener">
          Look<span class="hidden"> at {name}</span>
        </a>
        <CopyButton text={png_url}>Copy address</CopyButton>
        <Revoke name={name} onRevoke={() => act('DELETE /v1/pictures/{id}', { id }).then(again)} />
      </li>
    )}
  </RowList>
)

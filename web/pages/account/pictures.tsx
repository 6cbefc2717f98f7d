import { type Account, act } from '../../data/accounts.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Copy } from '../../parts/copy.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Made } from './made.tsx'
import { Revoke } from './revoke.tsx'

/** Addresses by which everybody sees a chart with the rights of the account; nothing where there are none. */
export function Pictures({ account }: { readonly account: Account }) {
  const { value: pictures, error, retry } = useAnswer(() => act('GET /v1/pictures'), [account.email])
  if (error !== undefined && !pictures) return <Failed error={error} retry={retry} />
  if (!pictures || pictures.length === 0) return null
  return (
    <section aria-labelledby="pictures">
      <h2 id="pictures">Addresses of pictures</h2>
      <p class="muted">
        Anyone who has one sees the chart with your access rights, and each view counts as your request. To create one,
        use “Save or share” on a chart.
      </p>
      <ul class="rows pictures">
        {pictures.map(({ id, name, created_at, png_url }) => (
          <li key={id}>
            <Made name={name} at={created_at} />
            <a class="pill" href={png_url} target="_blank" rel="noopener">
              Look<span class="hidden"> at {name}</span>
            </a>
            <Copy text={png_url}>Copy address</Copy>
            <Revoke name={name} onRevoke={() => act('DELETE /v1/pictures/{id}', { id }).then(retry)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

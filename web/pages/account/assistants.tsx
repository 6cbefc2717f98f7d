import { cursorLink, vscodeLink } from '#contract/install-links.ts'
import { accountToolPath, toolPath } from '#contract/oauth.ts'
import { Snippet } from '../../parts/code.tsx'

/** Setup with this service's address; `docs/assistants.md` has it with a key. */
function listClients(url: string, isOpen: boolean) {
  const entry = (fields: object): string => `"coinstrata": ${JSON.stringify(fields)}`
  const online = {
    name: 'Claude, ChatGPT',
    where: 'Claude: Settings, Connectors, Add custom connector. ChatGPT: developer mode, Create app.',
    lines: url,
  }
  return [
    // Hosted assistants can only reach public addresses.
    ...(url.startsWith('https:') ? [online] : []),
    {
      name: 'Claude Code',
      where: isOpen ? 'In a terminal' : 'In a terminal; then /mcp in Claude Code signs in.',
      lines: `claude mcp add --transport http coinstrata ${url}`,
    },
    { name: 'Cursor', where: 'Under mcpServers in ~/.cursor/mcp.json', lines: entry({ url }) },
    { name: 'VS Code', where: 'Under servers in .vscode/mcp.json', lines: entry({ type: 'http', url }) },
    { name: 'Gemini CLI', where: 'Under mcpServers in ~/.gemini/settings.json', lines: entry({ httpUrl: url }) },
  ]
}

export function Assistants({ isOpen = false }: { readonly isOpen?: boolean }) {
  const url = new URL((isOpen ? toolPath : accountToolPath).slice(1), document.baseURI).href
  return (
    <section aria-labelledby="assistants">
      <h2 id="assistants">Connect an assistant</h2>
      <p class="muted">
        Assistants answer questions with the data of this service. Give yours this address
        {isOpen ? '' : '; it then opens a page here on which you sign in and allow it'}. No key is needed.
      </p>
      <p>
        <a class="pill" href={cursorLink(url)}>
          Add to Cursor
        </a>{' '}
        <a class="pill" href={vscodeLink(url)}>
          Add to VS Code
        </a>
      </p>
      {listClients(url, isOpen).map(({ name, where, lines }) => (
        <Snippet
          key={name}
          title={
            <>
              <b>{name}</b> {where}
            </>
          }
          text={lines}
        />
      ))}
    </section>
  )
}

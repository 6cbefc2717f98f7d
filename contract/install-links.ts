/** Links that add the tools to an editor, in its documented encoding. */

const name = 'coinstrata'

/** `toolUrl` is ASCII, as URLs are. */
export const cursorLink = (toolUrl: string): string =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${encodeURIComponent(btoa(JSON.stringify({ url: toolUrl })))}`

export const vscodeLink = (toolUrl: string): string =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url: toolUrl }))}`

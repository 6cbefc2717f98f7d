/** Links that add the tools to an editor, in the encodings that editors document. */

const name = 'coinstrata'

/** `toolUrl` has only ASCII characters, as URLs do. */
export const cursorLink = (toolUrl: string): string =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${encodeURIComponent(btoa(JSON.stringify({ url: toolUrl })))}`

export const vscodeLink = (toolUrl: string): string =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url: toolUrl }))}`

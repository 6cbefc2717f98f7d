declare module 'duckdb:files' {
  /** Addresses of the worker and of WebAssembly, relative to the app. */
  const files: readonly [worker: string, wasm: string]
  export default files
}

declare module 'sql:examples' {
  /** Titles and queries in docs/sql.md. */
  const examples: readonly (readonly [title: string, sql: string])[]
  export default examples
}

interface Window {
  /** Undefined in older browsers. A trusted address is an object that the type calls a text. */
  readonly trustedTypes?: {
    readonly createPolicy: (
      name: string,
      rules: { readonly createScriptURL: () => string },
    ) => { readonly createScriptURL: (address: string) => string }
  }
}

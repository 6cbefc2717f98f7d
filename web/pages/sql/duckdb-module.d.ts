declare module 'duckdb:files' {
  /** Addresses relative to the app. */
  const files: { readonly worker: string; readonly wasm: string }
  export default files
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

declare module 'agreement:all' {
  const agreement: Readonly<Record<string, readonly import('./comparison.ts').Comparison[]>>
  export default agreement
}

declare module 'agreement:all' {
  const agreement: Readonly<Record<string, readonly import('./agreement.tsx').Comparison[]>>
  export default agreement
}

declare module 'chart-schema:all' {
  const schema: import('./read-by-schema.ts').JsonSchema
  export default schema
}

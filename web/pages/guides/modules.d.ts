declare module 'guide:*' {
  const article: import('./article.ts').Article
  export default article
}

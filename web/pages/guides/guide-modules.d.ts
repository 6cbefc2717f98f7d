declare module 'guide:sections' {
  const sections: readonly import('./section-search.ts').GuideSection[]
  export default sections
}

declare module 'guide:*' {
  const article: import('./article.ts').Article
  export default article
}

declare module 'guide:sections' {
  const sections: readonly import('./section-search.ts').GuideSection[]
  export default sections
}

declare module 'guide:articles' {
  const articles: Readonly<
    Record<import('./guide-list.ts').GuideName, () => Promise<{ readonly default: import('./article.ts').Article }>>
  >
  export default articles
}

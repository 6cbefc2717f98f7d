// Runs before the first paint, with the embedding page's theme.
const named = new URLSearchParams(location.search).get('theme')
if (named === 'light' || named === 'dark') document.documentElement.dataset.theme = named

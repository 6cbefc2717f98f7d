// Runs before the first paint. The embedding page passes its theme in the address.
const named = new URLSearchParams(location.search).get('theme')
if (named === 'light' || named === 'dark') document.documentElement.dataset.theme = named

// Runs before the page is painted: the theme is that of the page around it, which the address names.
const named = new URLSearchParams(location.search).get('theme')
if (named === 'light' || named === 'dark') document.documentElement.dataset.theme = named

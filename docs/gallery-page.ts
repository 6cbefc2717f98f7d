import { templates } from '#render/request/templates.ts'

/** Of each picture, in pixels. */
export const pictureSize = { width: 1_200, height: 600 } as const

/** Text of docs/charts.md: every template with its picture. */
export function galleryPage(): string {
  const names = Object.keys(templates)
  const pictures = Object.entries(templates).map(
    ([name, { title }]) => `## ${name}\n\n${title}.\n\n![${title}, simulated data](charts/${name}.png)\n`,
  )
  return `# Charts

All ${names.length} templates. **The data are simulated**: the chain, the prices and the markets of these pictures are made
up and say nothing of Bitcoin. The simulated chain has few blocks with next to no work in them, which shows in all
that concerns mining. This page and its pictures are generated (\`npm run docs\`).

A template, or any [metric](metrics.md), becomes a file with

\`\`\`sh
npm run coinstrata -- chart --template mvrv_ratio --days 1460 -o mvrv.png
npm run coinstrata -- chart --metric price --days 365 --theme dark --width 2400 --height 1200 -o price.svg
\`\`\`

and an answer of the API with \`GET /v1/chart/snapshot?template=mvrv_ratio&days=1460\`; \`POST\` draws any other chart.

![All templates, simulated data](charts/montage.png)

${pictures.join('\n')}`
}

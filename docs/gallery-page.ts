import type { ChartTemplate } from '#render/request/template.ts'
import { templateBody } from '#render/request/template-body.ts'
import { templateGroups, templates } from '#render/request/templates.ts'

/** In pixels. */
export const pictureSize = { width: 900, height: 450 } as const

const pageFileName = (group: string): string => `${group.toLowerCase().replaceAll(' ', '-')}.md`

/** docs/charts.md and a page for each group of templates, by file name in `docs`. */
export const galleryPages: Readonly<Record<string, () => string>> = {
  'charts.md': indexPage,
  ...Object.fromEntries(
    Object.entries(templateGroups).map(([group, members]) => [
      `charts/${pageFileName(group)}`,
      () => groupPage(group, members),
    ]),
  ),
}

function indexPage(): string {
  const contents = Object.entries(templateGroups).map(
    ([group, members]) =>
      `- **[${group}](charts/${pageFileName(group)})**: ${Object.keys(members)
        .map((name) => `[${name}](charts/${pageFileName(group)}#${name})`)
        .join(', ')}`,
  )
  return `# Charts

There are ${Object.keys(templates).length} templates. **The data is simulated**: the chain, the prices and the markets of these pictures are made
up and say nothing about Bitcoin. The simulated chain has few blocks and almost no proof of work, as all charts about mining
show. These pages and their pictures are generated (\`npm run docs\`).

This command draws a template, or any [metric](metrics/README.md), into a file:

\`\`\`sh
npm run coinstrata -- chart --template mvrv_ratio --days 1460 -o mvrv.png
npm run coinstrata -- chart --metric price --days 365 --theme dark --width 2400 --height 1200 -o price.svg
\`\`\`

The API draws it with \`GET /v1/chart/snapshot?template=mvrv_ratio&range=4y\`, and any other chart with \`POST\`. Each template below has a picture, an
explanation, and the \`POST\` body that draws the same chart, which you can change for your own. A template shows all the history
that you may see, unless it sets a \`range\`; \`days\`, \`range\` and \`start_date\` choose other days.

${contents.join('\n')}

![All templates, simulated data](charts/montage.png)
`
}

function groupPage(group: string, members: Readonly<Record<string, ChartTemplate>>): string {
  const entries = Object.entries(members).map(([name, template]) => entry(name, template))
  return `# Charts: ${group}

The data is simulated. [Charts](../charts.md) explains how to draw a template.

${entries.join('\n')}`
}

function entry(name: string, template: ChartTemplate): string {
  const { title, subtitle } = template
  return `<a id="${name}"></a>

## ${title}

Template \`${name}\`. ${subtitle}

![${title}, simulated data](${name}.png)

<details><summary>POST /v1/chart/snapshot</summary>

\`\`\`json
${JSON.stringify(templateBody(template), null, 2)}
\`\`\`

</details>
`
}

import type { ChartTemplate } from '#render/request/template.ts'
import { templateBody } from '#render/request/template-body.ts'
import { templateGroups, templates } from '#render/request/templates.ts'

/** Of each picture, in pixels. */
export const pictureSize = { width: 900, height: 450 } as const

/** Text of docs/charts.md: every template with its picture, how to read it, and the request that makes it. */
export function galleryPage(): string {
  const names = Object.keys(templates)
  const contents = Object.entries(templateGroups).map(
    ([group, members]) =>
      `- **${group}**: ${Object.keys(members)
        .map((name) => `[${name}](#${name})`)
        .join(', ')}`,
  )
  const groups = Object.entries(templateGroups).map(([group, members]) => {
    const entries = Object.entries(members).map(([name, template]) => entry(name, template))
    return `## ${group}\n\n${entries.join('\n')}`
  })
  return `# Charts

All ${names.length} templates. **The data are simulated**: the chain, the prices and the markets of these pictures are made
up and say nothing of Bitcoin. The simulated chain has few blocks with next to no work in them, which shows in all
that concerns mining. This page and its pictures are generated (\`npm run docs\`).

A template, or any [metric](metrics.md), becomes a file with

\`\`\`sh
npm run coinstrata -- chart --template mvrv_ratio --days 1460 -o mvrv.png
npm run coinstrata -- chart --metric price --days 365 --theme dark --width 2400 --height 1200 -o price.svg
\`\`\`

and an answer of the API with \`GET /v1/chart/snapshot?template=mvrv_ratio&range=4y\`; \`POST\` draws any other chart. Below
each picture stands the body that draws it without the template, to begin with. A template shows all history that the
caller may see, unless it names another \`range\`; \`days\`, \`range\` and \`start_date\` show other days.

${contents.join('\n')}

![All templates, simulated data](charts/montage.png)

${groups.join('\n')}`
}

function entry(name: string, template: ChartTemplate): string {
  const { title, subtitle } = template
  return `### ${name}

${title}. ${subtitle}

![${title}, simulated data](charts/${name}.png)

<details><summary>POST /v1/chart/snapshot</summary>

\`\`\`json
${JSON.stringify(templateBody(template), null, 2)}
\`\`\`

</details>
`
}

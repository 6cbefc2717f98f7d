import { chartExamples } from '#api/openapi/charts.ts'
import { type ChartTemplate, templateBody } from '#render/request/template.ts'
import { templateGroups, templates } from '#render/request/templates.ts'

/** Requests that show the marks of charts. */
const examples = ['histogram', 'rows', 'colors', 'crossings', 'points', 'calendar']

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

Series of one **dimension** (USD per coin, USD, USD per day, BTC, percent, …) share an axis, whatever their size; each dimension has its own, at most four.
The catalogue states the \`dimension\` of each metric, and that of a formula follows from its metrics: USD per coin × BTC is USD. The overlay is a price like others.
A series leaves this axis only by \`y_axis_id\`, or \`axes=left,right\` with \`GET\`; \`remarks\` and the header \`X-Chart-Remarks\` say which line is flat without it.

An axis without \`domain_min\`, \`domain_max\`, \`floor\` and \`ceiling\` contains all values, except outliers: at most one in a hundred, none of them in the last
12 months of the chart, if the axis is at most half as long without them. Triangles at the edge of the plot mark values beyond an axis for any of
these reasons. A note below the chart, the description of the picture and \`remarks\` of format \`json\` name the farthest.

## Marks

A series has the style \`line\`, \`step\`, \`points\`, \`area\`, \`bar\`, \`candle\` (the price) or \`heatmap\`. These bodies of \`POST\` show what else a chart can be:

${examples.map((name) => `- ${chartExamples[name]!.summary}: \`${JSON.stringify(chartExamples[name]!.value)}\``).join('\n')}

Series of style \`heatmap\` are rows of cells with one legend of colours, so they have one dimension; \`normalize\` makes others comparable, and draws bars and areas as lines unless you name a \`style\`. Values on both sides of zero
have two colours. The line of an estimate of addresses has its 95 % interval as a band, unless the chart changes its values. A crossing is the first day on which a line is above the other, or below it again, as drawn in the \`interval\` of the chart; both are on one axis.
The description of the picture and \`remarks\` say how many there are and when the last was. With \`x_axis\` \`day_offset\`, \`cycle_days\` labels days since each cycle began instead of dates; tables have both. The mean and median of a calendar leave out a month that is not over.

PNG and SVG show titles and labels in the font Inter: Latin, Greek, Cyrillic and many signs. PNG takes other scripts from fonts of the machine, which the program \`fc-list\` (Debian: \`fontconfig\`) lists;
Debian has \`fonts-noto-core\` (Arabic, Hebrew, Devanagari, Thai and many more) and \`fonts-noto-cjk\` (Chinese, Japanese, Korean). Restart the service after you install one.
Characters that no font has, and emoji, are refused by name (\`invalid_parameter\`). SVG is sent with any characters: viewers show them in their own fonts.

## Templates

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

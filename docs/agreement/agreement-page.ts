import { linkTo } from '../metrics/metric-kinds.ts'
import type { Agreement, Reference } from './comparison.ts'
import { compareWithVendor } from './comparison.ts'
import { comparedValues, valueVendors } from './values.ts'

/** Relative differences up to this come from the rounding of the extracts. */
export const maxRoundingDifference = 1e-9

/**
 * docs/agreement.md: our formulas on the inputs that vendors publish, compared with their published
 * series.
 */
export function agreementPage(references: readonly Reference[]): string {
  const all = references
    .flatMap(compareWithVendor)
    .sort((a, b) => a.metric.localeCompare(b.metric, 'en') || a.vendor.localeCompare(b.vendor, 'en'))
  const metrics = new Set(all.map(({ metric }) => metric))
  const equal = all.filter(({ greatest }) => greatest <= maxRoundingDifference)
  return `# Agreement with other vendors

Two things are compared: definitions, by evaluating our formulas on a vendor's own inputs, and values, computed from real blocks by this
program. With \`coinstrata agree\` you compare your own tables with the export of any vendor, day by day.

## Definitions

How closely the metrics match those of Glassnode, Coin Metrics, CryptoQuant, CheckOnChain and Woobull: ${metrics.size} metrics, ${all.length} comparisons, ${equal.length} of them
equal in all digits of the extracts.

Each formula of [the catalogue](metrics/README.md) is evaluated, by the engine that computes the published tables, on the inputs that a
vendor publishes (its price, supply, volume, coin days), and compared with the vendor's own series on the first day of each
month. So this part compares definitions; a vendor with other inputs, such as a transfer volume without change, still has other
values. The extracts and their sources are in [test/references](../test/references/README.md); \`npm run docs:text\` writes this page.

Differences are relative to the vendor's value. 0 is less than ${maxRoundingDifference}, the precision of the twelve digits of an extract.
Other differences have a reason; \`<id>_<vendor>\` is a variant of our metric with the vendor's definition.

| metric | vendor | days | from | to | median | greatest | why |
|---|---|---|---|---|---|---|---|
${all.map(row).join('\n')}

## Values

What this program computes from the first 4,522 blocks of mainnet, next to what others published about the same days: [stack-stats](https://github.com/ty-perbole/stack-stats),
which counts the unspent outputs at the end of each day that has a block, and Coin Metrics. A test repeats it with the blocks.

| vendor | series | here | days | equal | why |
|---|---|---|---|---|---|
${comparedValues.map(valueRow).join('\n')}

stack-stats counts the output of the first block, which cannot be spent and is no part of the supply here; the formulas add it.

## Your own tables

\`\`\`sh
coinstrata agree --with glassnode-sopr.csv --column 'value=sopr' --tolerance 0.001
coinstrata agree --with coinmetrics-btc.csv
\`\`\`

The file has a column of dates and columns of values. A column with the name of a metric, or with a vendor's name of it, is compared by itself;
\`--column 'THEIRS=OURS'\` compares it with any metric or formula, such as \`--column 'v=100 * nupl'\` for another unit. For each column the
command prints the days that are equal, the median and the largest difference, and the days that differ most; \`--json\` lists all of them. The
exit code is 1 if a value differs by more than the tolerance, one part in 10⁹ unless you say otherwise.

The file is CSV or a sheet, with dates and numbers in any of the [forms of prices](market-data.md#prices-from-files), or JSON as Glassnode (\`[{t, v}]\`, \`[{t, o}]\`,
compared with \`--column 'v=sopr'\`) and Coin Metrics (\`{data: […]}\`) answer. If most of a difference comes from the day or the unit, the command
says so: ours of the day after is theirs, or ours is 100 times theirs, a fraction beside percent.

## What could not be compared

- \`reserve_risk\`: on Glassnode's own coin days its series has a daily deduction that is some 20 % off any median of them. Ours follows the
  text of its author; both move together (correlation 0.995).
- \`realized_cap\`, \`sopr\`, \`coindays_destroyed\` and all other metrics read from the chain have no inputs. If a formula above uses such
  a series of the vendor, only the results are compared.
- \`nvt\`, \`nvt_signal\`, \`velocity\` and \`dormancy\` agree on the vendor's transfer volume. Ours includes change, theirs excludes what is
  considered change, so the published values differ by 15 % in the median, and up to twofold.
- \`cvdd\` of Glassnode: the age that it divides by is not published; ours is that of its author, Woobull.
`
}

function valueRow({ file, column, ours, days, equal, reason }: (typeof comparedValues)[number]): string {
  return `| ${[valueVendors[file], `\`${column}\``, `\`${ours}\``, days, equal, reason ?? ''].join(' | ')} |`
}

function row({ metric, vendor, days, firstDate, lastDate, median, greatest, reason }: Agreement): string {
  const cells = [
    `[\`${metric}\`](metrics/${linkTo(metric)})`,
    vendor,
    days,
    firstDate,
    lastDate,
    formatDifference(median),
    formatDifference(greatest),
    reason ?? '',
  ]
  return `| ${cells.join(' | ')} |`
}

function formatDifference(value: number): string {
  if (value <= maxRoundingDifference) return '0'
  if (value < 1e-4) return value.toExponential(0)
  if (value >= 1) return `× ${Number((1 + value).toPrecision(3))}`
  return `${Number((100 * value).toPrecision(2))} %`
}

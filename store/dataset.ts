import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import { type TableName, tables } from '#contract/tables/tables.ts'
import { describeFileChange } from '#sql/file-digest.ts'
import { publishFolder, unfinishedPath } from '#sql/files.ts'
import { currentGeneration, type Generation, generationFiles, type PublishedTable } from '#sql/generation.ts'
import { describeParquet, type ParquetColumn, type ParquetType } from '#sql/parquet-columns.ts'

interface DatasetTable extends PublishedTable {
  readonly name: string
  readonly description: string
  readonly key: readonly string[]
  readonly columns: readonly ParquetColumn[]
}

interface Dataset {
  readonly generation: Generation
  readonly description: string
  readonly license: string
  readonly tables: readonly DatasetTable[]
}

/** Types of Croissant, Frictionless; the DECIMAL columns hold whole numbers. */
const typeNames: Readonly<Record<ParquetType & string, readonly [croissant: string, frictionless: string]>> = {
  boolean: ['sc:Boolean', 'boolean'],
  int32: ['sc:Integer', 'integer'],
  int64: ['sc:Integer', 'integer'],
  double: ['sc:Float', 'number'],
  date: ['sc:Date', 'date'],
  timestamp: ['sc:DateTime', 'datetime'],
  string: ['sc:Text', 'string'],
}

/**
 * Copies the current generation into a new folder, with descriptions for Croissant, Frictionless
 * and readers. Returns the size in bytes. Throws `data_not_ready`, `invalid_file`,
 * `invalid_argument` if the folder is not empty.
 * @param license SPDX id
 */
export async function writeDataset(dataDir: string, target: string, license: string): Promise<number> {
  if (!/^[\w.+-]+$/.test(license)) {
    const cure = 'name the licence that you give it by its SPDX id, such as --license CC-BY-4.0'
    const fault = license === '' ? 'has no licence' : `cannot have the licence "${license}", which is no SPDX id`
    throw new CoinstrataError('invalid_argument', `the data set ${fault}`, { cure })
  }
  const folder = path.resolve(target)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CoinstrataError('invalid_argument', `${folder} is not empty`, { cure: 'name a new or empty folder' })
  }
  const opened = currentGeneration(dataDir)
  if (!opened) {
    const cure = 'run "coinstrata update"'
    throw new CoinstrataError('data_not_ready', `nothing is published in ${dataDir} yet`, { cure })
  }
  const { generation } = opened
  const unfinished = unfinishedPath(folder)
  try {
    mkdirSync(unfinished, { recursive: true })
    const described: DatasetTable[] = []
    for (const [name, table] of generationFiles(generation)) {
      const file = path.join(unfinished, `${name}.parquet`)
      copyFileSync(path.join(opened.folder, `${name}.parquet`), file)
      const change = await describeFileChange(file, table)
      if (change !== undefined) {
        const cure = 'run "coinstrata compute" to publish a new generation'
        throw new CoinstrataError('invalid_file', change, { cure })
      }
      described.push({ name, ...table, ...describeTable(name), columns: describeParquet(file).columns })
    }
    const dataset = { generation, license, tables: described, description: describeGeneration(generation) }
    const write = (name: string, content: string): void => writeFileSync(path.join(unfinished, name), content)
    copyFileSync(path.join(opened.folder, 'generation.json'), path.join(unfinished, 'generation.json'))
    write('croissant.json', `${JSON.stringify(toCroissant(dataset), undefined, 1)}\n`)
    write('datapackage.json', `${JSON.stringify(toDataPackage(dataset), undefined, 1)}\n`)
    write('README.md', toCard(dataset))
    publishFolder(unfinished, folder)
    return described.reduce((sum, { bytes }) => sum + bytes, 0)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

const isTable = (name: string): name is TableName => name in tables

function describeTable(name: string): Pick<DatasetTable, 'description' | 'key'> {
  if (!isTable(name)) return { description: 'Values that this generation was the first to publish.', key: [] }
  const { rowFor, holds, key } = tables[name]
  return { description: `One row for each ${rowFor}: ${holds}.`, key }
}

function describeGeneration({ network, simulated, first_date, last_date, tip, audit, proved, ...rest }: Generation) {
  const node = audit.node ? ' The unspent outputs at its end were compared with those that a node counted.' : ''
  const blocks = proved
    ? ` ${proved.blocks} of ${proved.of} blocks were hashed and compared with what is published.`
    : ''
  return `${simulated ? 'Simulated data: chain and prices are made up. ' : ''}Bitcoin on-chain analytics by day, ${first_date} to ${last_date} (UTC), computed from the blocks of ${simulated ? 'a simulated chain' : network} up to block ${tip.height} (${tip.hash}) by Coinstrata. How it was proved: on each of ${audit.days} days the supply and the number of unspent outputs equal those of the blocks, and the issuance of ${audit.blocks} blocks the subsidy schedule.${node}${blocks} day_hashes has a hash of the rows of each day, and generation.json the rest.${rest.attributions.map((text) => ` ${text}`).join('')}`
}

const nameOf = ({ network, id }: Generation): string => `coinstrata-${network}-${id.toLowerCase()}`
const typeOf = ({ type }: ParquetColumn, format: 0 | 1): string =>
  typeof type === 'string'
    ? typeNames[type][format]
    : 'listOf' in type
      ? ['sc:Text', 'array'][format]!
      : typeNames.int64[format]
const withUnit = ({ description, unit }: ParquetColumn): string =>
  [description, unit && `Unit: ${unit}.`].filter(Boolean).join(' ')

function toCroissant({ generation, description, license, tables }: Dataset) {
  const terms =
    'citeAs column extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath key md5 ' +
    'parentField path recordSet references regex repeated replace separator source subField transform'
  return {
    '@context': {
      '@language': 'en',
      '@vocab': 'https://schema.org/',
      ...Object.fromEntries(terms.split(' ').map((term) => [term, `cr:${term}`])),
      conformsTo: 'dct:conformsTo',
      cr: 'http://mlcommons.org/croissant/',
      data: { '@id': 'cr:data', '@type': '@json' },
      dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
      dct: 'http://purl.org/dc/terms/',
      examples: { '@id': 'cr:examples', '@type': '@json' },
      rai: 'http://mlcommons.org/croissant/RAI/',
      sc: 'https://schema.org/',
    },
    '@type': 'sc:Dataset',
    name: nameOf(generation),
    description,
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    license: `https://spdx.org/licenses/${license}`,
    citeAs: `Coinstrata, generation ${generation.id}, ${generation.tip.hash}`,
    url: 'README.md',
    version: '1.0.0',
    datePublished: generation.created_at,
    distribution: tables.map(({ name, bytes, sha256 }) => ({
      '@type': 'cr:FileObject',
      '@id': `${name}.parquet`,
      name: `${name}.parquet`,
      contentUrl: `${name}.parquet`,
      contentSize: `${bytes} B`,
      encodingFormat: 'application/x-parquet',
      sha256,
    })),
    recordSet: tables.map((table) => ({
      '@type': 'cr:RecordSet',
      '@id': table.name,
      name: table.name,
      description: table.description,
      ...(table.key.length > 0 && { key: table.key.map((column) => ({ '@id': `${table.name}/${column}` })) }),
      field: table.columns.map((column) => ({
        '@type': 'cr:Field',
        '@id': `${table.name}/${column.name}`,
        name: column.name,
        description: withUnit(column),
        dataType: typeOf(column, 0),
        ...(typeof column.type === 'object' && 'listOf' in column.type && { repeated: true }),
        source: { fileObject: { '@id': `${table.name}.parquet` }, extract: { column: column.name } },
      })),
    })),
  }
}

const toDataPackage = ({ generation, description, license, tables }: Dataset) => ({
  name: nameOf(generation),
  title: `Coinstrata, ${generation.network}`,
  description,
  created: generation.created_at,
  licenses: [{ name: license, path: `https://spdx.org/licenses/${license}` }],
  resources: tables.map((table) => ({
    name: table.name,
    description: table.description,
    path: `${table.name}.parquet`,
    format: 'parquet',
    mediatype: 'application/vnd.apache.parquet',
    bytes: table.bytes,
    hash: `sha256:${table.sha256}`,
    schema: {
      fields: table.columns.map((column) => ({
        name: column.name,
        type: typeOf(column, 1),
        description: column.description,
        unit: column.unit,
      })),
      ...(table.key.length > 0 && { primaryKey: table.key }),
    },
  })),
})

/** Hugging Face shows this file, and offers each table as a configuration. */
const toCard = ({ generation, description, license, tables }: Dataset): string => `---
license: ${license.toLowerCase()}
pretty_name: Coinstrata, ${generation.network}
configs:
${tables.map(({ name }) => `- config_name: ${name}\n  data_files: ${name}.parquet`).join('\n')}
---
# Coinstrata, ${generation.network}

${description}

\`croissant.json\` (Croissant) and \`datapackage.json\` (Frictionless) describe every column with its unit, and have the checksum of every file.

| table | rows | holds |
|---|---|---|
${tables.map((table) => `| \`${table.name}\` | ${table.rows} | ${table.description} |`).join('\n')}
`

import { existsSync, globSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeError, errorCodes } from '#base/error-codes.ts'
import { listedTools } from '#mcp/tools/all.ts'
import { describeSetting, settingNames } from '#root/config.ts'
import { withSettings } from '#root/docs/write-settings.ts'
import { importsOf, loadedWith, sourceFiles, sourceText } from './support/source-imports.ts'

const files = sourceFiles()
const imports = new Map(files.map((file) => [file, importsOf(file)]))
const importTables = sourceText('docs/imports.md')

/** A row of the tables. */
interface Part {
  /** `room/`, `room/*.ts` or a file. */
  readonly name: string
  readonly mayImport: readonly string[]
}

/** Folders that are not of the project. */
const isOther = (name: string): boolean => /^(node_modules|data|\.cache)$|\/(node_modules|built|dist)$/.test(name)

const codeSpans = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** Parts by the heading of their table's first column. */
function partsOf(heading: string): Part[] {
  const table = importTables.split(`\n| ${heading} | what it is | may import |\n`)[1]?.split('\n\n')[0] ?? ''
  return table.split('\n').flatMap((line) => {
    const [, names, , allowed] = line.split('|')
    const mayImport = codeSpans(allowed)
    return codeSpans(names).map((name) => ({ name, mayImport }))
  })
}
const rooms = partsOf('room')
const wings = partsOf('wing')

function isIn(file: string, part: string): boolean {
  if (part.endsWith('/')) return file.startsWith(part)
  if (!part.endsWith('*.ts')) return file === part
  const folder = part.slice(0, -'*.ts'.length)
  // JSX counts as TypeScript.
  return file.startsWith(folder) && !file.slice(folder.length).includes('/')
}

/** The part that a file belongs to: that which names it most closely. */
const partOf = (parts: readonly Part[], file: string): Part | undefined =>
  parts
    .filter(({ name }) => isIn(file, name))
    .sort((a, b) => b.name.replace('*.ts', '').length - a.name.replace('*.ts', '').length)[0]

/** Names that stand in one row of a table are one part. */
const isSame = (a: Part, b: Part): boolean => a.mayImport === b.mayImport

/** Imports among these files that the table does not allow, each with what to do about it. */
function forbidden(parts: readonly Part[], cure: string, among: readonly string[]): string[] {
  return among.flatMap((file) => {
    const part = partOf(parts, file)
    if (!part) return [`${file} is in no row of docs/imports.md: add its folder there`]
    const targets = (imports.get(file) ?? []).filter((target) => among.includes(target))
    return targets.flatMap((target) => {
      const other = partOf(parts, target)
      if (!other || isSame(other, part) || part.mayImport.includes(other.name)) return []
      const allowed = part.mayImport.length > 0 ? `${part.mayImport.join(', ')} only` : 'nothing of the others'
      return [`${file} imports ${target}: ${part.name} may import ${allowed} (docs/imports.md). ${cure}`]
    })
  })
}

/** One circle of imports for each set of files that need each other. */
function circles(): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const at = path.indexOf(file)
    if (at >= 0) found.push([...path.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    path.push(file)
    for (const target of imports.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of files) visit(file)
  return found
}

describe('imports', () => {
  test('are found in every room', () => {
    expect(files.length).toBeGreaterThan(400)
    expect(rooms.length).toBeGreaterThan(10)
    expect(wings.length).toBeGreaterThan(15)
    expect(imports.get('cli/serve.ts')).toContain('config.ts')
    expect(imports.get('compute/scan/unit-scanner.ts')).toContain('compute/scan/scan-worker.ts')
    expect(imports.get('api/http/route.ts')).toContain('contract/endpoint.ts')
  })

  test('lead to files that are there', () => {
    const missing = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => /\.tsx?$/.test(target) && !imports.has(target)).map((target) => `${file}: ${target}`),
    )
    expect(missing).toEqual([])
  })

  test.each([
    ['rooms', rooms],
    ['wings', wings],
  ])('of %s go to rows above their own in the table', (_, parts) => {
    const upward = parts.flatMap(({ name, mayImport }, row) =>
      mayImport
        .filter((target) => parts.findIndex((part) => part.name === target) >= row)
        .map((to) => `${name}: ${to}`),
    )
    expect(upward).toEqual([])
  })

  test('between rooms are those of docs/imports.md', () => {
    const cure = 'Move what both need into contract/ or base/.'
    expect(forbidden(rooms, cure, files)).toEqual([])
  })

  test('between the wings of a room are those of docs/imports.md', () => {
    const cure = 'Move what both need into a wing that both may import.'
    for (const room of new Set(wings.map(({ name }) => name.split('/')[0]))) {
      const among = files.filter((file) => file.startsWith(`${room}/`))
      expect(forbidden(wings, cure, among)).toEqual([])
    }
  })

  test('form no circle, not even of types: move what both need into a file of its own', () => {
    expect(circles()).toEqual([])
  })
})

test('limits/, query/ and accounts/ know nothing of HTTP, but for the client that webhooks and OAuth send requests with', () => {
  const found = files.filter(
    (file) => /^(limits|query|accounts)\//.test(file) && /from '(express|(node:)?https?)'/.test(sourceText(file)),
  )
  expect(found).toEqual(['accounts/webhooks/checked-request.ts'])
})

test('only render threads and commands load jsdom and sharp: a server without charts needs neither', () => {
  const drawing = ['file-renderer.ts', 'node-platform.ts', 'png.ts'].map((name) => `render/output/${name}`)
  const loading = files.filter((file) => imports.get(file)?.some((target) => drawing.includes(target)))
  expect(loading.filter((file) => !/^(test|bench|docs)\//.test(file))).toEqual([
    'cli/chart.ts',
    'render/output/file-renderer.ts',
    'render/output/worker.ts',
  ])
})

test('no command loads what others compute, fetch, draw or serve with: import() it where that is done, as in cli/program.ts', () => {
  const loaded = [...loadedWith('cli.ts')]
  expect(loaded).toContain('cli/program.ts')
  const heavy =
    /^(compute|render|mcp|web)\/|^ingest\/(chain|simulated)\/|^ingest\/market\/fetch|^cli\/(serve|worker-pool|doctor|fetch|sources)\.ts$/
  expect(loaded.filter((file) => heavy.test(file))).toEqual([
    'compute/data-folder.ts',
    'ingest/chain/networks.ts',
    'mcp/transport/settings.ts',
    'compute/publish/rollback.ts',
  ])
})

test('only bitcoin.ts knows how many satoshis are a coin: use satsPerCoin, satsToBtc and btcToSats, in SQL coins(sats)', () => {
  const statements = readdirSync('sql/statements').map((name) => `sql/statements/${name}`)
  const product = files.filter((file) => !/^(test|bench|docs)\/|^base\/bitcoin\.ts$/.test(file))
  const factor = /\b(1e-?8|100_?000_?000)\b/
  expect([...product, ...statements].filter((file) => factor.test(sourceText(file)))).toEqual([])
})

test.each([
  ['README.md', /has (\d+) tools at/],
  ['docs/assistants.md', /Of the (\d+) tools,/],
])('%s tells how many tools there are', (page, words) => {
  expect(words.exec(sourceText(page))?.[1], 'correct the number').toBe(String(listedTools.length))
})

test('docs/settings.md lists every setting of config.ts as it is described there: run "npm run docs:text"', () => {
  const page = sourceText('docs/settings.md')
  const rows = page.split('\n').filter((line) => /^\| `[A-Z_]+` \|/.test(line))
  expect(page === withSettings(page), 'run "npm run docs:text"').toBe(true)
  expect(rows.length).toBeGreaterThan(30)
  const undescribed = settingNames.filter((name) => describeSetting(name).description === '')
  expect(undescribed, 'give each of these settings a description, in config.ts or where it comes from').toEqual([])
})

test('every setting is read somewhere: use it or remove it', () => {
  const declaring = /^(test|bench|docs)\/|^(config|api\/settings|mcp\/transport\/settings)\.ts$/
  const product = files.filter((file) => !declaring.test(file)).map(sourceText)
  const isRead = (name: string): boolean => product.some((text) => new RegExp(`\\b${name}\\b`).test(text))
  expect(settingNames.filter((name) => !isRead(name))).toEqual([])
})

test('Parquet files are read by parquetFiles alone', () => {
  const other = /read_parquet\(|(FROM|JOIN) \$\{quotedString/
  const readers = files.filter((file) => !/^(test|bench)\//.test(file) && other.test(sourceText(file)))
  expect(readers, 'other ways take names of folders for patterns and columns').toEqual(['sql/parquet.ts'])
})

test('every path in backticks on a page is there', () => {
  const folders = readdirSync('.', { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  const fileNames = new Set(globSync('**/*.{ts,tsx}', { exclude: isOther }).map((file) => path.basename(file)))
  const pages = globSync('**/*.md', { exclude: isOther }).filter((page) => page !== 'CHANGELOG.md')
  // Files that a build or a run writes.
  const isMadeLater = /^(data\/(?!reference)|state\/(?!.*\.ts$)|web\/built|dist|\.cache)|\*|…|\{/
  const missing = pages.flatMap((page) =>
    codeSpans(sourceText(page))
      .filter((name) => {
        if (isMadeLater.test(name) || !/^[\w./@-]+$/.test(name)) return false
        if (/^[\w-]+\.(ts|tsx)$/.test(name)) return !fileNames.has(name)
        const [first = '', second] = name.split('/')
        return second !== undefined && folders.includes(first) && !existsSync(name)
      })
      .map((name) => `${page}: ${name}`),
  )
  expect(pages.length).toBeGreaterThan(50)
  expect(missing).toEqual([])
})

test('docstrings tell of errors in one form, "Throws `code` …", and name codes that there are', () => {
  const ofAnswers = [...sourceText('contract/api-error.ts').matchAll(/^ {2}(\w+): \d/gm)].map(([, code]) => code)
  const known = new Set<string | undefined>([...errorCodes, ...ofAnswers])
  const wrong = files
    .filter((file) => !/^(test|bench)\//.test(file))
    .flatMap((file) =>
      [...sourceText(file).matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(([doc]) => {
        const words = doc.replaceAll(/\s+\*? ?/g, ' ')
        const other = /@throws|Throws (?!`|what )/.exec(words)
        const [sentence = ''] = /Throws [^.]*/.exec(words) ?? []
        const unknown = codeSpans(sentence).filter((code) => /^[a-z]+(_[a-z]+)+$/.test(code) && !known.has(code))
        return [
          ...(other ? [`${file}: ${words.slice(other.index, other.index + 60)}`] : []),
          ...unknown.map((code) => `${file}: there is no code ${code}`),
        ]
      }),
    )
  expect(wrong, 'write "Throws `code` for …", or "Throws what `callee` throws"').toEqual([])
})

describe('errors.ts', () => {
  test('says of every code what it means, in a sentence', () => {
    expect(errorCodes.length).toBeGreaterThan(25)
    expect(errorCodes.filter((code) => !/^[A-Z].*\.$/.test(describeError(code)[1]))).toEqual([])
  })

  test('has no code that nothing throws: remove it', () => {
    const product = files.filter((file) => !/^(test|bench)\/|^base\/errors\.ts$/.test(file)).map(sourceText)
    expect(errorCodes.filter((code) => !product.some((text) => text.includes(`'${code}'`)))).toEqual([])
  })
})

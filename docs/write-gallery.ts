import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { CoinstrataError } from '#base/errors.ts'
import { renderFile } from '#render/output/file-renderer.ts'
import { requireFile } from '#render/output/render-task.ts'
import { templates } from '#render/request/templates.ts'
import { withPublishedCharts } from '#root/cli/chart.ts'
import { readSettings } from '#root/config.ts'
import { replaceFile } from '#sql/files.ts'
import { currentGeneration } from '#sql/generation.ts'
import { galleryPages, pictureSize } from './gallery-page.ts'

const docs = import.meta.dirname
const pictures = path.join(docs, 'charts')
const montageColumns = 7
const tile = { width: 360, height: 180 }
const gap = 8

/** A palette keeps the pictures small. */
const palette = { palette: true, colours: 96, effort: 10 }

/** Writes docs/charts.md and its pictures from simulated data. */
async function writeGallery(dataDir: string): Promise<void> {
  if (currentGeneration(dataDir)?.generation.simulated !== true) {
    throw new CoinstrataError('invalid_argument', `${dataDir} has no simulated data published`, {
      cure: 'make some with "coinstrata update --source simulated", or name no folder',
    })
  }
  const drawn = await drawTemplates(dataDir)
  rmSync(pictures, { recursive: true, force: true })
  mkdirSync(pictures)
  for (const [template, picture] of drawn) {
    replaceFile(path.join(pictures, `${template}.png`), await sharp(picture).png(palette).toBuffer())
  }
  replaceFile(path.join(pictures, 'montage.png'), await montage([...drawn.values()]))
  for (const [name, page] of Object.entries(galleryPages)) replaceFile(path.join(docs, name), page())
}

function drawTemplates(dataDir: string): Promise<Map<string, Uint8Array>> {
  const folder = { DATA_DIR: dataDir, MEMORY_LIMIT: readSettings({}, process.env).MEMORY_LIMIT }
  const size = { width: String(pictureSize.width), height: String(pictureSize.height) }
  return withPublishedCharts(folder, async (compose) => {
    const drawn = new Map<string, Uint8Array>()
    for (const template of Object.keys(templates)) {
      const specification = await compose({ template, ...size })
      drawn.set(template, requireFile(await renderFile({ specification, format: 'png' })))
    }
    return drawn
  })
}

async function montage(drawn: readonly Uint8Array[]): Promise<Buffer> {
  const tiles = await Promise.all(drawn.map((picture) => sharp(picture).resize(tile).png().toBuffer()))
  const rows = Math.ceil(tiles.length / montageColumns)
  const size = (count: number, length: number): number => count * (length + gap) + gap
  const overlays = tiles.map((input, i) => ({
    input,
    left: size(i % montageColumns, tile.width),
    top: size(Math.floor(i / montageColumns), tile.height),
  }))
  const [width, height] = [size(montageColumns, tile.width), size(rows, tile.height)]
  return sharp({ create: { width, height, channels: 3, background: '#d8dce2' } })
    .composite(overlays)
    .png(palette)
    .toBuffer()
}

function publishSimulatedData(folder: string): string {
  const dataDir = path.join(folder, 'data')
  const program = path.join(import.meta.dirname, '..', 'cli.ts')
  execFileSync(process.execPath, [program, 'update', '--source', 'simulated', '--data-dir', dataDir], {
    stdio: 'inherit',
  })
  return dataDir
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-gallery-'))
try {
  await writeGallery(process.argv[2] ?? publishSimulatedData(folder))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

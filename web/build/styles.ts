import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { readableColor } from '#render/draw/color.ts'
import { fontFace, fontFile, fontParts } from '#render/draw/inter.ts'
import { type Theme, themes } from '#render/draw/theme.ts'

/** Font faces and theme colors, then the folder's stylesheets by name. */
export function writeStyles(folder: string, fontPath: (file: string) => string): string {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.css'))
    .sort()
  return [
    ...([400, 600] as const).flatMap((weight) =>
      fontParts.map((part) => fontFace(weight, part, fontPath(fontFile(weight, part)))),
    ),
    `:root{color-scheme:light;${toProperties(themes.light)}}`,
    `@media(prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;${toProperties(themes.dark)}}}`,
    `:root[data-theme=dark]{color-scheme:dark;${toProperties(themes.dark)}}`,
    ...files.map((name) => readFileSync(path.join(folder, name), 'utf8')),
  ].join('\n')
}

function toProperties({ background, text, muted, grid, frame, price, palette }: Theme): string {
  const [subject = text, second = text, loss = text, gain = text] = palette
  const properties = {
    background,
    text,
    muted,
    grid,
    frame,
    price,
    subject,
    second,
    'subject-text': readableColor(subject, background),
    loss: readableColor(loss, background),
    gain: readableColor(gain, background),
    field: `color-mix(in srgb, ${grid} 45%, ${background})`,
  }
  return Object.entries(properties)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

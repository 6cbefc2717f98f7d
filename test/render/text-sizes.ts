import { expect } from 'vitest'
import type { ChartRequest } from '#render/request/request.ts'
import { templates } from '#render/request/templates.ts'
import { drawPicture, layoutFaults } from './picture.ts'
import { dayRange, fillTemplate, firstPriceDay } from './samples.ts'

/** Templates whose texts are drawn at several scales. */
export const scaled = ['mvrv_ratio', 'hodl_waves', 'price_models', 'cost_basis_distribution']

export const filled = (name: string) => fillTemplate(templates[name]!, dayRange(firstPriceDay + 4470, 1500))

/** The font sizes of a drawn template, no text of which may cover another or leave the picture. */
export function textSizes(name: string, more: Partial<ChartRequest> = {}): ReadonlySet<number> {
  const picture = drawPicture({ ...filled(name), ...more })
  expect([name, more, layoutFaults(picture)]).toEqual([name, more, []])
  return new Set(picture.texts.map(({ size }) => size))
}

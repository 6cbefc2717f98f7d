import { test } from 'vitest'
import { templates } from '#render/request/templates.ts'
import { expectLayout } from '../template-layout.ts'

test.each(Object.entries(templates))(
  'no text covers another or leaves the picture in the template %s, over a long history and in larger pictures',
  (_, template) => {
    const count = template.x_axis ? 5970 : 1500
    // Cycles in the smallest size are in layout.test.ts.
    if (!template.x_axis) expectLayout(template, count, [600, 300])
    const place = Object.values(templates).indexOf(template) % 4
    if (place === 0) expectLayout(template, count, [1200, 600])
    if (place === 2) expectLayout(template, count, [1080, 1920])
  },
)

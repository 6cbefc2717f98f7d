import type { Plugin } from 'rolldown'

/** Lists of colours, and the scales that are made of them. */
const lists = /= (new Array\(\d\)\.concat\([^;]*\)\.map\(colors\));/g
const scales = /= (?=(?:colors|ramp(?:\$\d+)?)\()/g

/** Lets the bundler leave out the colours that no chart uses: it cannot see that to make them has no effect, and they are 5 kB. */
export const colorScales: Plugin = {
  name: 'color-scales',
  transform: {
    filter: { id: /d3-scale-chromatic/ },
    handler: (code) =>
      code.replaceAll(lists, '= /* @__PURE__ */ (() => $1)();').replaceAll(scales, '= /* @__PURE__ */ '),
  },
}

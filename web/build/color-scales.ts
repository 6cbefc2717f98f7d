import type { Plugin } from 'rolldown'

const lists = /= (new Array\(\d\)\.concat\([^;]*\)\.map\(colors\));/g
const scales = /= (?=(?:colors|ramp(?:\$\d+)?)\()/g

/** Marks the color lists as pure so that the bundler can drop unused ones (5 kB). */
export const colorScales: Plugin = {
  name: 'color-scales',
  transform: {
    filter: { id: /d3-scale-chromatic/ },
    handler: (code) =>
      code.replaceAll(lists, '= /* @__PURE__ */ (() => $1)();').replaceAll(scales, '= /* @__PURE__ */ '),
  },
}

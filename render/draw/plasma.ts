/**
 * For ribbons and coloured lines; alone here, so pages load other scales only for charts that need
 * them.
 */
export { interpolatePlasma } from 'd3-scale-chromatic'

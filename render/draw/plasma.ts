/**
 * The scale of ribbons and colored lines; by itself, so that pages load the others only for charts
 * that have them.
 */
export { interpolatePlasma } from 'd3-scale-chromatic'
